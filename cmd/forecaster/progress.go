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

// progress draws a bar with the time left on a terminal, and nothing elsewhere.
type progress struct {
	stop, done chan struct{}
}

// progressBar starts to draw. position returns the work done and its total (0 =
// unknown), samples the number of samples so far.
func (a *app) progressBar(title string, position func() (done, total int64), samples func() int64) *progress {
	p := &progress{stop: make(chan struct{}), done: make(chan struct{})}
	if !report.IsTerminal(a.stderr) {
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
				_ = bar.Finish() // an error means that the terminal is gone
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

// watch returns a job.Watch that prints the assumed format of a file and draws the
// progress through it.
func (a *app) watch(title string) job.Watch {
	return func(src *file.Source, samples func() int64) (stop func()) {
		a.assumed(src)
		return a.progressBar(title, src.Progress, samples).finish
	}
}

// position returns the position of a count on its way to total.
func position(count *atomic.Int64, total int) func() (done, of int64) {
	return func() (int64, int64) { return count.Load(), int64(total) }
}

// finish removes the bar.
func (p *progress) finish() {
	close(p.stop)
	<-p.done
}
