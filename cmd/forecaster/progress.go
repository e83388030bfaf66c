package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream/file"
)

// progress draws a bar with the time left on a terminal, and nothing elsewhere.
type progress struct {
	stop, done chan struct{}
}

// progressBar starts drawing. position returns how much is done of how much
// (0 = unknown), samples the number of samples so far.
func (a *app) progressBar(title string, position func() (done, total int64), samples func() int64) *progress {
	p := &progress{stop: make(chan struct{}), done: make(chan struct{})}
	if !isTerminal(a.stderr) {
		close(p.done)
		return p
	}
	_, total := position()
	if total <= 0 {
		total = -1 // a spinner
	}
	bar := progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetDescription(title),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetElapsedTime(true),
	)
	go func() {
		defer close(p.done)
		tick := time.NewTicker(150 * time.Millisecond)
		defer tick.Stop()
		start := time.Now()
		for {
			select {
			case <-p.stop:
				_ = bar.Finish() // of a terminal that is gone nothing can be said
				return
			case <-tick.C:
				done, _ := position()
				n := samples()
				bar.Describe(fmt.Sprintf("%s  %s samples  %s", title, report.Thousands(n), report.Rate(float64(n)/time.Since(start).Seconds())))
				_ = bar.Set64(done)
			}
		}
	}()
	return p
}

// watch returns what shows the progress through a file, and what its first lines have
// decided about its format.
func (a *app) watch(title string) job.Watch {
	return func(src *file.Source, samples func() int64) (stop func()) {
		a.assumed(src)
		return a.progressBar(title, src.Progress, samples).Finish
	}
}

// position is that of a count on its way to total.
func position(count *atomic.Int64, total int) func() (done, of int64) {
	return func() (int64, int64) { return count.Load(), int64(total) }
}

// finish removes the bar.
func (p *progress) Finish() {
	close(p.stop)
	<-p.done
}
