package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream/file"
)

// progress draws a bar and the remaining time on a terminal. Elsewhere it draws nothing.
type progress struct {
	stop, done chan struct{}
}

// progressBar starts a progress. position returns the work done and the total work (0 = unknown), samples the
// number of samples so far.
func (a *app) progressBar(title string, position func() (done, total int64), samples func() int64) *progress {
	p := &progress{stop: make(chan struct{}), done: make(chan struct{})}
	if !report.IsTerminal(a.stderr) {
		close(p.done)
		return p
	}
	_, total := position()
	if total <= 0 {
		total = -1 // shows a spinner instead of a bar
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
				_ = bar.Finish() // ignore the error: the terminal is gone
				return
			case <-tick.C:
				done, _ := position()
				n := samples()
				bar.Describe(fmt.Sprintf("%s  %s samples  %s", title, plural.Thousands(n), report.Rate(float64(n)/time.Since(start).Seconds())))
				_ = bar.Set64(done)
			}
		}
	}()
	return p
}

// watch returns a job.Watch that prints the detected format of a file and draws the progress through the file.
func (a *app) watch(title string) job.Watch {
	return func(src *file.Source, samples func() int64) (stop func()) {
		a.assumed(src, false)
		return a.progressBar(title, src.Progress, samples).finish
	}
}

// position returns a function that reports count and total.
func position(count *atomic.Int64, total int) func() (done, of int64) {
	return func() (int64, int64) { return count.Load(), int64(total) }
}

// finish removes the bar.
func (p *progress) finish() {
	close(p.stop)
	<-p.done
}
