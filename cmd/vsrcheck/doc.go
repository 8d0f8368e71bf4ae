// Command vsrcheck explores every reachable state of a group of replicas that runs
// Viewstamped Replication, under rules that can be switched one by one, and says
// whether the properties of the protocol hold.
//
// This package is the command line: main.go begins, and has the signals that end a run; run.go
// dispatches to the commands, each of which has a file of its name. options.go declares what
// several commands offer, flags.go reads it, input.go and files.go have what a command reads and
// writes, cells.go what matrix and mend share, help.go the help, the pages of man and the version,
// and exit.go every exit code.
//
// What the commands do is below, in internal. From the bottom: job is one check, behaviour one
// behaviour that a check found, search many checks for one answer, tell what is printed,
// cross the comparison with TLC and web the server of explore. None knows one above it, and only
// this package knows options and exit codes. There is no room for HTML pages: package results
// writes them.
package main
