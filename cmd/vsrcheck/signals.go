package main

import (
	"os"
	"os/signal"
	"syscall"
)

// interrupts end a run in good order: Ctrl-C, a request to end, and a terminal that goes,
// unless nohup has said that it may go.
func interrupts() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// keepRunning has a reader that leaves be an error of the output, and not the end of the
// program: a search goes on, and its files are written. To be notified, and not to ignore
// the signal, leaves it as it is for the programs that this one starts.
func keepRunning() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
