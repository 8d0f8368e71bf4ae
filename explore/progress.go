package explore

import (
	"sync"
	"sync/atomic"
	"time"
)

// progress is what the workers publish about a run under way, once per chunk.
type progress struct {
	phase     atomic.Value // string
	level     atomic.Int64
	frontier  atomic.Uint64
	before    atomic.Uint64 // states of the level before
	done      atomic.Uint64 // states of all levels before
	expanded  atomic.Uint64
	generated atomic.Uint64
}

// begin announces a phase, or a level within one, of so many states.
func (p *progress) begin(phase string, level int, frontier uint64) {
	p.phase.Store(phase)
	p.level.Store(int64(level))
	p.expanded.Store(0)
	p.frontier.Store(frontier)
}

// report calls Options.Progress from one goroutine until the function that it
// returns is called; that one waits for the goroutine to end.
func (s *search[S]) report() (stop func()) {
	if s.opt.Progress == nil {
		return func() {}
	}
	interval := s.opt.Interval
	if interval <= 0 {
		interval = time.Second
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				s.opt.Progress(s.snapshot())
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

func (s *search[S]) snapshot() Progress {
	p := &s.progress
	return Progress{
		Phase:     p.phase.Load().(string),
		Level:     int(p.level.Load()),
		Distinct:  s.store.Count(),
		Generated: p.generated.Load(),
		Frontier:  p.frontier.Load(),
		Before:    p.before.Load(),
		Done:      p.done.Load(),
		Expanded:  p.expanded.Load(),
		Elapsed:   time.Since(s.started),
		Bytes:     s.store.Bytes(),
		DiskBytes: s.disk.Bytes(),
	}
}
