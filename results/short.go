package results

import "slices"

// leavable is a member of a record that its file need not have.
type leavable struct {
	name  string
	there func(r *Record) bool
	take  func(r *Record)
}

var leavables = []leavable{
	{"coverage", func(r *Record) bool { return r.Coverage != nil }, func(r *Record) { r.Coverage = nil }},
	{"deciding_rules", func(r *Record) bool { return r.Deciding != nil }, func(r *Record) { r.Deciding = nil }},
	{"guards", func(r *Record) bool { return r.Guards != nil }, func(r *Record) { r.Guards = nil }},
	{"network", func(r *Record) bool { return r.Network != "" }, func(r *Record) { r.Network = "" }},
	{"observed", func(r *Record) bool { return r.Observed != nil }, func(r *Record) { r.Observed = nil }},
	{"properties", func(r *Record) bool { return r.Properties != nil }, func(r *Record) { r.Properties = nil }},
}

// LeaveOut takes members away that only somebody reads who looks at that one run, and who can
// have them again by its command line: coverage, deciding_rules, guards,
// network, observed or properties. LeftOut
// then names those that were there. Published records that are no more than rows of a table are
// kept without them; formats.md says which.
func (r *Record) LeaveOut(names ...string) {
	for _, m := range leavables {
		if slices.Contains(names, m.name) && m.there(r) {
			m.take(r)
			r.LeftOut = append(r.LeftOut, m.name)
		}
	}
}

// validateLeftOut says whether what a record names as left out is left out.
func (r *Record) validateLeftOut() error {
	for _, name := range r.LeftOut {
		i := slices.IndexFunc(leavables, func(m leavable) bool { return m.name == name })
		if i < 0 || leavables[i].there(r) {
			return BadRecord("left_out names %s, which is there or cannot be left out", name)
		}
	}
	return nil
}
