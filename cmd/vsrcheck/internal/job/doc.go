// Package job is one check: a specification with what somebody wants instead, bound to a
// model and to the engine, run, and judged.
//
// From the outside in: settings.go has what can be asked for, override.go a specification
// with it, reduce.go which reductions of the states are sound for it, bind.go its properties
// as the engine takes them, job.go the run, limits.go and memory.go how far that may go,
// verdict.go what the result means (with vacuous.go, decided.go, constraint.go and guards.go,
// for what a verdict says nothing about), record.go the run's record, identity.go what a
// checkpoint keeps of it, sizes.go several sizes of one specification.
//
// It knows no command line, no terminal and no exit codes: an [Ending] is what the command
// makes a code of. Its errors name settings as options are written, because that is how a
// reader can change them.
package job
