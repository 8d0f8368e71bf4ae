package invariants_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/model/modeltest"
)

// TestDeadUnderReductions: whether a group dies, and after how many steps, is the same with
// every reduction as without any, for rules and budgets drawn at random. RECOVERY_DRAWS asks
// for another number of draws.
func TestDeadUnderReductions(t *testing.T) {
	draws, states := 40, uint64(8_000)
	if n, err := strconv.Atoi(os.Getenv("RECOVERY_DRAWS")); err == nil {
		draws = n
	}
	compared, dead := 0, 0
	for draw := range draws {
		r := rand.New(rand.NewPCG(3, uint64(draw)))
		cfg := modeltest.Sized(2+r.IntN(2), 1, r.IntN(3), 1+r.IntN(2), r.IntN(2), r.IntN(2))
		cfg.JournalDurable, cfg.RecoveringElects = r.IntN(2) == 0, r.IntN(4) == 0
		if r.IntN(2) == 0 {
			cfg.MayCrash = model.ReplicaSet(1 + r.IntN(1<<cfg.Replicas-1))
		}
		rs := rules(t, "sound", "probe_adoption=observed")
		what := fmt.Sprintf("draw %d: %+v", draw, cfg)
		for range r.IntN(4) {
			all := model.Catalogue()
			rule := all[r.IntN(len(all))]
			a := rule.Alternatives[r.IntN(len(rule.Alternatives))]
			if err := rule.Set(&rs, a.Name); err != nil {
				t.Fatal(err)
			}
			what += " " + rule.Name + "=" + a.Name
		}
		plain := newModel(t, cfg, rs)
		length := func(m *model.Model) (int, bool) {
			ps := properties(t, m, "GroupRecovers")
			res, err := explore.Check(t.Context(), explore.System[model.State](m), ps, explore.Options{Workers: 2, MaxStates: states})
			if err != nil {
				t.Fatal(err)
			}
			switch res.Verdict {
			case explore.Violated:
				return res.Violations[0].Depth, true
			case explore.Holds:
				return -1, true
			}
			return 0, false
		}
		want, ok := length(plain.Unreduced())
		if !ok {
			continue
		}
		for _, reductions := range []model.Reductions{{EagerSends: true}, {EagerSends: true, FaultsLast: true}, model.AllReductions} {
			m := plain.With(reductions)
			if m.StaleAnswersRevive(false) != "" {
				continue // the property is not asked for with this reduction
			}
			got, ok := length(m)
			if !ok {
				continue
			}
			if (got < 0) != (want < 0) {
				t.Errorf("%s: %+v: dead after %d steps, without reductions after %d (-1: never)", what, m.Reductions(), got, want)
			} else if got > want {
				t.Errorf("%s: %+v: dead after %d steps, without reductions after %d", what, m.Reductions(), got, want)
			}
			compared++
		}
		if want >= 0 {
			dead++
		}
	}
	if compared < draws || dead < draws/20 {
		t.Errorf("%d comparisons, and %d dead groups: too few to say anything", compared, dead)
	}
	t.Logf("%d draws, %d comparisons, %d dead groups", draws, compared, dead)
}
