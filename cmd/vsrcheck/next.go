package main

import (
	"strings"

	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
)

// advice says what to do after a run that was cut.
type advice struct {
	next  string // in words; "" is nothing in particular
	flags string // that a resumed run needs, so that it is not cut at once at the same place
}

// adviceOn is the advice on a search that ended for a reason.
func adviceOn(o *job.Limits, stop explore.Stop, timedOut bool) advice {
	switch stop {
	case explore.StopStates:
		return advice{"raise --max-states; simulate looks for violations beyond", "--max-states 0"}
	case explore.StopDepth:
		return advice{"raise --max-depth", "--max-depth 0"}
	case explore.StopMemory:
		if o.Store != string(explore.StoreExact) {
			return advice{"raise --memory-limit, or take --store exact, whose states go to disk", "--memory-limit none"}
		}
		return advice{"raise --memory-limit, or lower sizes and budgets", "--memory-limit none"}
	case explore.StopDisk:
		if o.DiskLimit.Limit() != 0 {
			return advice{"raise --disk-limit", "--disk-limit none"}
		}
		return advice{"make room on the disk, or have --spill-dir or --checkpoint on another", ""}
	case explore.StopInterrupted:
		if timedOut {
			return advice{"raise --" + o.TimeoutName, ""} // each run has its own
		}
	case explore.StopReduction:
		return advice{"take --reduce none, which decides the rest, with more states", ""}
	case explore.StopStore:
		if o.Store != string(explore.StoreExact) {
			return advice{"take --store exact, which decides the rest, with more memory", ""}
		}
		return advice{"raise --memory-limit, so that no state goes to disk, or lower sizes and budgets", ""}
	case explore.StopConstraint:
		return advice{"leave out the CONSTRAINT, or name a weaker one", ""}
	case explore.StopEmpty:
		return advice{"name a CONSTRAINT that the initial state satisfies", ""}
	}
	return advice{}
}

// resumeText is the command that goes on from a checkpoint.
func (a advice) resumeText(dir string) string {
	return strings.Join(append([]string{"vsrcheck resume", quoted(dir)}, strings.Fields(a.flags)...), " ") + " goes on"
}
