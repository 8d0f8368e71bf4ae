package invariants

import "vsrcheck/model"

// sendsFit: see the catalogue.
func sendsFit(m *model.Model, s *model.State) bool { return !m.Waits(s) }
