package model_test

import (
	"context"
	"testing"
	"time"

	"vsrcheck/explore"
	"vsrcheck/model"
)

func TestZZSweep(t *testing.T) {
	for _, cfg := range []model.Config{sized(2, 3, 0, 1, 0, 0), sized(2, 2, 1, 1, 0, 0), sized(2, 1, 2, 1, 0, 0), sized(3, 1, 1, 1, 1, 0), sized(3, 2, 1, 0, 1, 0), sized(3, 1, 2, 1, 0, 0)} {
		for _, rs := range ruleSets() {
			m := newModel(t, cfg, rs.rules)
			st := time.Now()
			r, err := explore.Check(context.Background(), explore.System[model.State](m), everyProperty(m), explore.Options{MaxStates: 150000})
			if err != nil {
				t.Fatal(err)
			}
			var out []any
			for _, v := range r.Violations {
				out = append(out, v.Property, v.Depth)
			}
			t.Log(testName(cfg), rs.name, r.Distinct, r.Stop, out, r.Liveness, time.Since(st).Round(time.Millisecond))
		}
	}
}
