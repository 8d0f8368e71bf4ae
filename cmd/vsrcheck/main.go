package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), interrupts()...)
	// The first signal ends a run in good order, with its figures. After it the
	// signals have their usual effect again, for whoever cannot wait.
	context.AfterFunc(ctx, stop)
	keepRunning()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
