package model_test

import (
	"testing"

	"pgregory.net/rapid"

	"vsrcheck/model"
	"vsrcheck/model/modeltest"
)

// TestReductionsOnRandomRules compares the model under all reductions that are sound for
// its rules with itself under eager sends alone, and that with the plain model, for rules
// and sizes that are drawn at random: several rules may differ from the sound ones at once.
func TestReductionsOnRandomRules(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.SampledFrom([]int{2, 2, 2, 3}).Draw(t, "replicas")
		views := rapid.IntRange(0, 4-replicas).Draw(t, "view_max")
		ops := rapid.IntRange(1, max(1, 5-replicas-views)).Draw(t, "ops")
		faults := rapid.SampledFrom([][3]int{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}}).Draw(t, "crashes, stops, drops")
		cfg := modeltest.Sized(replicas, ops, views, faults[0], faults[1], faults[2])
		if replicas > 2 {
			cfg.Drops = 0
		}
		cfg.JournalDurable = rapid.Bool().Draw(t, "journal_durable")
		cfg.PrepareCarriesCommit = rapid.Bool().Draw(t, "prepare_carries_commit")
		rules := modeltest.With(modeltest.SoundRules(), "readoption="+rapid.SampledFrom([]string{"never", "ahead"}).Draw(t, "readoption"))
		for range rapid.IntRange(0, 3).Draw(t, "rules to change") {
			rule := rapid.SampledFrom(model.Catalogue()).Draw(t, "rule")
			rules = modeltest.With(rules, rule.Name+"="+rapid.SampledFrom(rule.AlternativeNames()).Draw(t, rule.Name))
		}
		m := newModel(t, cfg, rules)
		plain, eager, all := m.Unreduced(), m.With(model.Reductions{EagerSends: true}), m.With(model.AllReductions)
		limit := uint64(25_000)
		if model.Long() {
			limit = 100_000
		}
		free := search(t, plain, limit)
		if free.interrupted() {
			t.Skip("too many states")
		}
		sent := search(t, eager, limit)
		if sent.interrupted() {
			t.Skip("too many states")
		}
		sameBehaviour(t, "eager sends", sent, free)
		sameVerdicts(t, "all reductions", search(t, all, searchLimit), sent)
	})
}

// TestLostProbesOnSoundRules compares the model under all reductions with itself under eager
// sends alone where a restarted replica's probe may be lost, and a Normal replica may act on
// the answer: for all alternatives that are sound, any of which may be drawn.
func TestLostProbesOnSoundRules(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some ten seconds")
	}
	configs := []model.Config{
		modeltest.Sized(2, 2, 0, 1, 0, 1),
		modeltest.Sized(2, 2, 0, 1, 1, 1),
		modeltest.Sized(2, 1, 0, 2, 0, 2),
		modeltest.Sized(2, 1, 1, 1, 0, 2),
		modeltest.Sized(3, 1, 0, 1, 0, 2),
		modeltest.Sized(3, 1, 0, 1, 1, 1),
	}
	rapid.Check(t, func(t *rapid.T) {
		cfg := rapid.SampledFrom(configs).Draw(t, "configuration")
		cfg.JournalDurable = rapid.Bool().Draw(t, "journal_durable")
		cfg.PrepareCarriesCommit = rapid.Bool().Draw(t, "prepare_carries_commit")
		rules := modeltest.SoundRules()
		for _, rule := range model.Catalogue() {
			var sound []string
			for _, a := range rule.Alternatives {
				if a.Sound {
					sound = append(sound, a.Name)
				}
			}
			rules = modeltest.With(rules, rule.Name+"="+rapid.SampledFrom(sound).Draw(t, rule.Name))
		}
		rules = modeltest.With(rules, "readoption=ahead")
		m := newModel(t, cfg, rules)
		all := m.With(model.AllReductions)
		if !all.Reductions().FaultsLast {
			t.Fatalf("faults are not taken last: %s", m.Unargued(model.AllReductions))
		}
		sameVerdicts(t, modeltest.Name(cfg), search(t, all, searchLimit), search(t, m.With(model.Reductions{EagerSends: true}), searchLimit))
	})
}
