package model_test

import (
	"testing"

	"vsrcheck/model"
	"vsrcheck/model/modeltest"
)

// TestPromptIsHarmless compares the model with itself without the reduction by prompt
// answers. More than elsewhere is the same: all states of the replicas that are reachable.
func TestPromptIsHarmless(t *testing.T) {
	configs := []model.Config{
		modeltest.Sized(2, 2, 0, 1, 0, 0),
		modeltest.Sized(2, 1, 1, 1, 0, 0),
		modeltest.Sized(2, 2, 1, 0, 0, 0),
		modeltest.Sized(2, 1, 1, 1, 0, 1),
		modeltest.Sized(2, 1, 2, 1, 0, 0),
		modeltest.Sized(3, 1, 0, 1, 1, 0),
		modeltest.Sized(3, 2, 0, 1, 0, 0),
		modeltest.Sized(3, 1, 1, 0, 1, 0),
		modeltest.Sized(3, 1, 1, 1, 0, 0),
		modeltest.Sized(3, 1, 2, 0, 0, 0),
	}
	for n, cfg := range configs {
		t.Run(modeltest.Name(cfg), func(t *testing.T) {
			t.Parallel()
			compared := 0
			defer func() {
				if compared == 0 && !testing.Short() {
					t.Error("nothing was compared")
				}
			}()
			for i, rs := range modeltest.RuleSets() {
				big, huge := cfg.Replicas > 2 && cfg.ViewMax+cfg.Ops > 1, cfg.Replicas > 2 && cfg.ViewMax > 1
				if big && (testing.Short() || i%8 != 1 && i != 2) || huge && i != 2 {
					continue // too many states, or too much time for all rules
				}
				if (big && i > 2 && i%16 != 1 || cfg.ViewMax > 1 && i > 2 && i%3 != n%3) && !model.Long() {
					continue // a long run has more rules
				}
				if rs.Rules.MergeLog == model.MergeOpNumber && cfg.Replicas > 2 && cfg.ViewMax > 0 {
					continue // too many states
				}
				if testing.Short() && i > 2 {
					continue
				}
				m := newModel(t, cfg, rs.Rules)
				for _, r := range []model.Reductions{{PromptAnswers: true}, {PromptAnswers: true, EagerSends: true}, model.AllReductions} {
					prompt := m.With(r)
					if !prompt.Reductions().PromptAnswers || cfg.Replicas > 2 && !r.EagerSends {
						continue // unsound, or too many states
					}
					compared++
					r.PromptAnswers = false
					with, without := search(t, prompt, searchLimit), search(t, m.With(r), searchLimit)
					sameVerdicts(t, rs.Name, with, without)
					if diff := onlyIn(without, with, every); diff != "" {
						t.Errorf("%s: reached only without the reduction: %s", rs.Name, diff)
					}
				}
			}
		})
	}
}
