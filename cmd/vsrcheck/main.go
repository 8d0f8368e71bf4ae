package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), interrupts()...)
	// The first signal ends a run in good order, with its figures. After it the
	// signals have their usual effect again, for whoever cannot wait.
	context.AfterFunc(ctx, stop)
	keepRunning()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

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
