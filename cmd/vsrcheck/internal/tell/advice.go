package tell

import (
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
)

// Advice says what to do after a run that was cut.
type Advice struct {
	next  string // in words; "" is nothing in particular
	flags string // that a resumed run needs, so that it is not cut at once at the same place
}

// Advise is the advice on a search that ended for a reason.
func Advise(o *job.Limits, stop explore.Stop, timedOut bool) Advice {
	switch stop {
	case explore.StopStates:
		return Advice{"raise --max-states; simulate looks for violations beyond", "--max-states 0"}
	case explore.StopDepth:
		return Advice{"raise --max-depth", "--max-depth 0"}
	case explore.StopMemory:
		if o.Store != string(explore.StoreExact) {
			return Advice{"raise --memory-limit, or take --store exact, whose states go to disk", "--memory-limit none"}
		}
		return Advice{"raise --memory-limit, or lower sizes and budgets", "--memory-limit none"}
	case explore.StopDisk:
		if o.DiskLimit.Limit() != 0 {
			return Advice{"raise --disk-limit", "--disk-limit none"}
		}
		return Advice{"make room on the disk, or have --spill-dir or --checkpoint on another", ""}
	case explore.StopInterrupted:
		if timedOut {
			return Advice{"raise --" + o.TimeoutName, ""} // each run has its own
		}
	case explore.StopReduction:
		return Advice{"take --reduce none, which decides the rest, with more states", ""}
	case explore.StopStore:
		if o.Store != string(explore.StoreExact) {
			return Advice{"take --store exact, which decides the rest, with more memory", ""}
		}
		return Advice{"raise --memory-limit, so that no state goes to disk, or lower sizes and budgets", ""}
	case explore.StopConstraint:
		return Advice{"leave out the CONSTRAINT, or name a weaker one", ""}
	case explore.StopEmpty:
		return Advice{"name a CONSTRAINT that the initial state satisfies", ""}
	}
	return Advice{}
}

// resumeText is the command that goes on from a checkpoint.
func (a Advice) resumeText(dir string) string {
	return strings.Join(append([]string{"vsrcheck resume", Quoted(dir)}, strings.Fields(a.flags)...), " ") + " goes on"
}
