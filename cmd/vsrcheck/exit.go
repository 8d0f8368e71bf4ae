package main

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/specs"
)

// The exit codes. Those from 10 to 13, 75, 150 and 151 are TLC's, as near as they
// come; 64, 65, 70 and 73 are those of sysexits.h; 130 is what a shell reports after
// Ctrl-C.
const (
	exitHolds        = 0
	exitDiffers      = 1
	exitAssumption   = 10
	exitDeadlock     = 11
	exitSafety       = 12
	exitLiveness     = 13
	exitInconclusive = 20
	exitMemory       = 21
	exitDisk         = 22
	exitDiverged     = 30
	exitUsage        = 64
	exitData         = 65
	exitInternal     = 70
	exitOutput       = 73
	exitMeaning      = 75
	exitInterrupted  = 130
	exitSyntax       = 150
	exitSizes        = 151
)

// exitCode is one line of the table of exit codes.
type exitCode struct {
	code    int
	word    string
	meaning string
}

// exitCodes lists every exit code. The help prints it.
func exitCodes() []exitCode {
	return []exitCode{
		{exitHolds, "holds", "every property holds in the whole space; or every cell of a matrix has a verdict; or mend has found what is enough; or a replayed trace is possible and violates nothing; or help was asked for"},
		{exitDiffers, "differs", "the manifest differs from what the checks give, or TLC from this checker"},
		{exitAssumption, "assumption", "inconclusive: no property says anything, as nothing ever happens that any of them is about; or no state was visited, as no initial state is within the CONSTRAINT; or nothing was asked"},
		{exitDeadlock, "deadlock", "a state has no step, and the specification says CHECK_DEADLOCK TRUE"},
		{exitSafety, "safety", "an invariant or a step property is violated, or is again by a replayed trace, or mend found nothing that is enough"},
		{exitLiveness, "liveness", "a liveness property is violated, or is again by a replayed trace, or mend found nothing that is enough"},
		{exitInconclusive, "inconclusive", "a limit on states, depth or time was reached, a channel was full (explain SendsFit), or something stayed undecided; or a cell of a matrix is inconclusive or vacuous; or a set on which the answer of mend depends; or walks found nothing"},
		{exitMemory, "memory", "inconclusive: the memory limit was reached by what cannot go to disk"},
		{exitDisk, "disk", "inconclusive: the disk is full, or --disk-limit was reached"},
		{exitDiverged, "diverged", "a step of a replayed trace is not possible, or leads to another state than the recorded one"},
		{exitUsage, "usage", "the command line is wrong: a command, option, value or name; or a script for step is"},
		{exitData, "data", "data cannot be read, is malformed or does not fit: a trace or a record, actions for step, a checkpoint, finished cells, a matrix, an answer of mend, the folder of a table or of cross-checks"},
		{exitInternal, "internal", "the checker or the model failed"},
		{exitOutput, "output", "an output cannot be written: a file, standard output or standard error, a checkpoint, or states on disk, whatever was found"},
		{exitMeaning, "meaning", "a specification file names something unknown, lacks something or contradicts itself"},
		{exitInterrupted, "interrupted", "inconclusive: interrupted, by Ctrl-C or the signals TERM and HUP"},
		{exitSyntax, "syntax", "a specification file cannot be read or is malformed"},
		{exitSizes, "sizes", "sizes or budgets do not fit"},
	}
}

// codeOfError is the exit code for a command that could not do its work.
func codeOfError(err error) int {
	var usage *job.WrongError
	var path *fs.PathError
	switch {
	case results.Unreadable(err), errors.Is(err, specs.ErrManifest):
		return exitData // whatever is wrong with what it holds
	case errors.As(err, &usage), errors.Is(err, specs.ErrUnknown):
		return exitUsage
	case errors.Is(err, explore.ErrFolder), errors.Is(err, results.ErrOutput):
		return exitOutput
	case errors.Is(err, behaviour.ErrGraphLimit):
		return exitInconclusive
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, model.ErrConfig):
		return exitSizes
	case errors.Is(err, specs.ErrMeaning):
		return exitMeaning
	case errors.Is(err, explore.ErrCheckpoint):
		return exitData
	case errors.Is(err, specs.ErrSyntax):
		return exitSyntax
	case errors.As(err, &path):
		if slices.Contains([]string{"open", "read", "readdirent", "stat", "lstat", "fdopendir"}, path.Op) {
			return exitData // specifications and outputs are classes of their own
		}
		return exitOutput
	}
	return exitInternal
}

// codeOf is the exit code for how a run came to its end.
func codeOf(end job.Ending) int {
	return map[job.Ending]int{
		job.EndHolds: exitHolds, job.EndNothing: exitAssumption, job.EndDeadlock: exitDeadlock, job.EndSafety: exitSafety, job.EndLiveness: exitLiveness,
		job.EndInconclusive: exitInconclusive, job.EndMemory: exitMemory, job.EndDisk: exitDisk, job.EndInterrupted: exitInterrupted, job.EndFailed: exitInternal,
	}[end]
}
