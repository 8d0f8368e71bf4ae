package search

import (
	"slices"
	"strings"
	"testing"

	"vsrcheck/model"
)

// TestLower holds the candidates to configurations that are possible and smaller.
func TestLower(t *testing.T) {
	all := model.AllReplicas(3)
	from := model.Config{Replicas: 3, Ops: 3, Pipeline: 2, ViewMax: 1, Crashes: 1, Stops: 1, MayCrash: all, MayStop: 1 << 2}
	var got []string
	for _, c := range Minimised() {
		for _, cfg := range Lower(c, from) {
			if err := cfg.Validate(); err != nil {
				t.Errorf("%s: %v", Differences(c, from, cfg), err)
			}
			got = append(got, Differences(c, from, cfg))
		}
	}
	want := "replicas=2 stops=0|view_max=0|stops=0|crashes=0|ops=1|ops=2|pipeline=1|" +
		"may_crash={0}|may_crash={1}|may_crash={2}|may_crash={0,1}|may_crash={0,2}|may_crash={1,2}"
	if strings.Join(got, "|") != want {
		t.Errorf("got the candidates\n%s, want\n%s", strings.Join(got, "|"), want)
	}
	for _, name := range minimisedOrder {
		if !slices.Contains(MinimisedNames(), name) {
			t.Errorf("%s is no size or budget", name)
		}
	}
}
