// Command vsrcheck explores every reachable state of a group of replicas that runs
// Viewstamped Replication, under rules that can be switched one by one, and says
// whether the properties of the protocol hold.
//
// The files of this package, from the outside in: main.go and run.go dispatch to the
// commands, each of which has its own file (check.go, resume.go, simulate.go, step.go,
// explore.go, replay.go, graph.go, minimise.go, matrix.go with matrixrun.go, mend.go
// with mendsearch.go and mendreport.go, which share cells.go with matrix, list.go,
// explain.go, table.go, manifest.go, crosscheck.go, help.go, version.go); options.go declares what check, simulate, step and
// replay can override; bind.go gives the named properties to the engine; job.go runs one
// check; replaysteps.go takes the steps of a trace again; variables.go turns states into
// the values of a trace and spacetime.go behaviours into diagrams; tracefiles.go makes
// the files that a run writes, and record.go the content of its record; tlc.go runs TLC;
// explorer.go is the server behind the page of explore; echo.go, report.go and
// progress.go say what is, was and is being done; exit.go has every exit code.
package main
