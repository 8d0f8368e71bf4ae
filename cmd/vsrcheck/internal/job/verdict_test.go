package job

import (
	"context"
	"strings"
	"testing"

	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/specs"
)

func TestDecide(t *testing.T) {
	timed, cancel := context.WithTimeoutCause(context.Background(), 0, errTimeout)
	defer cancel()
	<-timed.Done()
	violated := func(kinds ...explore.Kind) explore.Result[model.State] {
		r := explore.Result[model.State]{Verdict: explore.Violated}
		for _, k := range kinds {
			r.Violations = append(r.Violations, explore.Violation[model.State]{Property: string(k), Kind: k})
		}
		return r
	}
	full := func(stop explore.Stop, kinds ...explore.Kind) explore.Result[model.State] {
		r := violated(kinds...)
		r.Stop = stop
		r.Violations = append(r.Violations, explore.Violation[model.State]{Property: "SendsFit", Kind: explore.KindInvariant})
		return r
	}
	stopped := func(s explore.Stop) explore.Result[model.State] {
		return explore.Result[model.State]{Verdict: explore.Inconclusive, Stop: s}
	}
	for _, test := range []struct {
		ctx    context.Context
		result explore.Result[model.State]
		want   Ending
	}{
		{context.Background(), explore.Result[model.State]{Verdict: explore.Holds}, EndHolds},
		{context.Background(), violated(explore.KindInvariant), EndSafety},
		{context.Background(), violated(explore.KindAction), EndSafety},
		{context.Background(), violated(explore.KindLiveness), EndLiveness},
		{context.Background(), violated(explore.KindDeadlock), EndDeadlock},
		{context.Background(), violated(explore.KindLiveness, explore.KindDeadlock, explore.KindAction), EndSafety},
		{context.Background(), full(explore.StopNone), EndInconclusive},
		{context.Background(), full(explore.StopMemory), EndMemory},
		{context.Background(), full(explore.StopNone, explore.KindLiveness), EndLiveness},
		{context.Background(), full(explore.StopStates, explore.KindInvariant), EndSafety},
		{context.Background(), stopped(explore.StopStates), EndInconclusive},
		{context.Background(), stopped(explore.StopDepth), EndInconclusive},
		{context.Background(), stopped(explore.StopStore), EndInconclusive},
		{context.Background(), stopped(explore.StopConstraint), EndInconclusive},
		{context.Background(), stopped(explore.StopEmpty), EndNothing},
		{context.Background(), stopped(explore.StopMemory), EndMemory},
		{context.Background(), stopped(explore.StopInterrupted), EndInterrupted},
		{timed, stopped(explore.StopInterrupted), EndInconclusive},
		{timed, explore.Result[model.State]{}, EndInconclusive}, // no verdict is no success
	} {
		asked := &Override{Spec: specs.Spec{Invariants: []string{"TypeOK"}}}
		out := Outcome{Job: &Job{Override: asked}, Result: &test.result}
		out.Decide(test.ctx)
		if out.End != test.want {
			t.Errorf("%s %s: got %d, want %d", test.result.Verdict, test.result.Stop, out.End, test.want)
		}
		v := out.Decisive()
		if decided := test.want == EndSafety || test.want == EndLiveness || test.want == EndDeadlock; (v != nil) != decided || v != nil && out.RankOf(v).End() != out.End {
			t.Errorf("%s %s: ends as %d, but %v decides", test.result.Verdict, test.result.Stop, out.End, v)
		}
	}
	for channel, want := range map[int]string{model.MaxChannel: "lower --ops or a budget, ", model.MaxChannel - 1: "raise --channel or lower --ops"} {
		j := Job{Override: &Override{Spec: specs.Spec{Config: model.Config{Channel: channel}}}}
		if got := j.MoreRoom(); !strings.HasPrefix(got, want) {
			t.Errorf("channel=%d: got %q, want %q", channel, got, want)
		}
	}
}
