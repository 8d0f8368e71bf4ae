package results

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// boundedSample is a record of a run with constraints, of which one cut nothing off.
func boundedSample(outside uint64) *Record {
	r := sample()
	r.Verdict, r.ExitCode, r.Violated, r.Violations, r.TraceLength = Holds, 0, "", nil, 0
	r.Constraints, r.Outside = []Constraint{{Name: "First", Outside: outside}, {Name: "Last"}}, outside
	return r
}

// TestBoundedTable: what holds within a constraint is not published as "holds".
func TestBoundedTable(t *testing.T) {
	for outside, want := range map[uint64]string{
		0:    "| holds, within CONSTRAINT First and Last (the constraint cut nothing off) |",
		1:    "| holds, within CONSTRAINT First and Last (1 state outside was not expanded) |",
		1234: "| holds, within CONSTRAINT First and Last (1,234 states outside were not expanded) |",
	} {
		r := boundedSample(outside)
		testRoundTrip(t, r)
		if got := searchTable([]Published{{"r.json", r}}); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := searchTable([]Published{{"r.json", sample()}}); strings.Contains(got, "CONSTRAINT") {
		t.Errorf("without a constraint: got %s", got)
	}
	for outside, want := range map[uint64]string{
		0: "(no walk came by a step that leads outside)", 1: "(1 step that leads outside was not taken)", 99: "(99 steps that lead outside were not taken)",
	} {
		r := simulated()
		r.Constraints, r.Outside = []Constraint{{"First", outside}}, outside
		testRoundTrip(t, r)
		if got := simulationTable([]Published{{"r.json", r}}); !strings.Contains(got, "violated: P, within CONSTRAINT First "+want) {
			t.Errorf("walks: got %s, want %s", got, want)
		}
	}
}

// TestConstraintsRefuse has records whose constraints contradict them.
func TestConstraintsRefuse(t *testing.T) {
	for want, change := range map[string]func(r *Record){
		"outside is 5, but the constraints have 0 together":                    func(r *Record) { r.Constraints, r.Outside = nil, 5 },
		"outside is 2, but the constraints have 3 together, and one of them 3": func(r *Record) { r.Outside = 2 },
		"outside is 4, but the constraints have 3 together, and one of them 3": func(r *Record) { r.Outside = 4 },
		"a constraint has no name":                                             func(r *Record) { r.Constraints[0].Name = "" },
	} {
		r := boundedSample(3)
		change(r)
		if err := r.Validate(); !errors.Is(err, ErrRecord) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestBoundedMatrix: the text and the page name the constraints of a base, and what they
// cut off in each cell.
func TestBoundedMatrix(t *testing.T) {
	cut, none := uint64(7), uint64(0)
	m := &Matrix{Schema: MatrixSchema, Build: Build{Version: "v1"},
		Bases: []Base{{Spec: "toy", Path: "toy.cfg", Constraints: []string{"First"}, Rules: []Setting{{Name: "r", Value: "a"}}}},
		Cells: []MatrixCell{
			{Outcome: Outcome{Verdict: Holds, Distinct: 5, Outside: &cut}},
			{Changed: []Setting{{Name: "r", Value: "b"}}, Outcome: Outcome{Verdict: Holds, Distinct: 5, Outside: &none}},
			{Changed: []Setting{{Name: "r", Value: "c"}}, Outcome: Outcome{Verdict: Inconclusive, Reason: "nothing was searched", ExitCode: 10, Outside: &cut}},
		}}
	var page bytes.Buffer
	if err := m.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{m.Text(), page.String()} {
		for _, want := range []string{"toy within CONSTRAINT First", "holds; 7 states outside were not expanded", "holds; the constraint cut nothing off", "inconclusive: nothing was searched; 7 states"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
	}
	data, err := m.Write()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseMatrix(data); err != nil || !reflect.DeepEqual(got.Cells[1].Outside, &none) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestConstraintsOfTraces: they are read back from every file that replay takes.
func TestConstraintsOfTraces(t *testing.T) {
	want := sampleTrace(t, false)
	for _, format := range []string{"json", "itf"} {
		got, err := ReadTrace(written(t, format, want), want.Variables)
		if err != nil || !reflect.DeepEqual(got.Constraints, want.Constraints) || len(got.Constraints) == 0 {
			t.Errorf("%s: got %v, %v, want %v", format, got.Constraints, err, want.Constraints)
		}
	}
	r := sample()
	r.Constraints = []Constraint{{Name: "First"}}
	data, err := r.Write()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ReadTrace(data, want.Variables); err != nil || !reflect.DeepEqual(got.Constraints, []string{"First"}) {
		t.Errorf("record: got %+v, %v", got, err)
	}
}
