package model

import "testing"

// TestFaultsAreTakenInTurn looks at all steps of small systems that take faults last: of
// the faults that a run ends with only those that are needed are taken, and in one order.
func TestFaultsAreTakenInTurn(t *testing.T) {
	for _, cfg := range []Config{
		sized(2, 1, 0, 0, 1, 2),
		sized(2, 2, 0, 1, 1, 1),
		sized(2, 1, 1, 0, 1, 1),
		sized(3, 1, 0, 0, 2, 1),
	} {
		t.Run(cfg.testName(), func(t *testing.T) {
			m := mustNew(t, cfg, soundRules()).With(AllReductions)
			if !m.Reductions().FaultsLast {
				t.Fatal("faults are not taken last")
			}
			var stops, losses int
			overReachable(t, m, func(s *State, a uint32, u *State) error {
				switch kindOf(a) {
				case kStop:
					stops++
					if s.Drops > 0 {
						t.Errorf("%s follows a loss", m.ActionString(a))
					}
				case kDrop:
					losses++
					with := *s
					if m.take(&with, droppedBy(a)); with == *s {
						t.Errorf("%s: the message made no difference", m.ActionString(a))
					}
				default:
					if m.late(s) {
						t.Errorf("%s follows a fault", m.ActionString(a))
					}
				}
				return nil
			})
			if stops == 0 || losses == 0 {
				t.Errorf("%d stops and %d losses were taken, want some of both", stops, losses)
			}
		})
	}
}
