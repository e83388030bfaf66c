package run

import (
	"fmt"
	"sync/atomic"
	"time"
)

// StalledError says that a stage of the work has hung: a model or an edge that
// neither returns nor gives a sign of life. It cannot be stopped from outside, so
// the process should end.
type StalledError struct {
	Stage Stage
	For   time.Duration
}

func (e *StalledError) Error() string {
	return fmt.Sprintf("stream: the stage %q has hung for %v: the process has to end, and the next start resumes from the last checkpoint", e.Stage, e.For)
}

// pulse is the sign of life of a goroutine.
type pulse struct {
	stage atomic.Int32
	beats atomic.Int64
}

// enter says what comes next. StageRead and StageWait are waiting for others, which
// may take as long as it likes.
func (p *pulse) enter(s Stage) {
	p.stage.Store(int32(s))
	p.beats.Add(1)
}

func (p *pulse) waiting() bool {
	s := Stage(p.stage.Load())
	return s == StageRead || s == StageWait
}

// hanging returns what is to be said of the work that was given up after some time.
func (r *Runner) hanging(limit time.Duration) *StalledError {
	for i := range r.pulses {
		if p := &r.pulses[i]; !p.waiting() {
			return &StalledError{Stage(p.stage.Load()), limit}
		}
	}
	return &StalledError{StageWait, limit}
}

// looks is how often the watchdog looks within StallTimeout. Looks are counted
// instead of time, so that a process that was frozen does not blame its work.
const looks = 60

// watch returns the error of the first stage that hangs, or nil when the work has
// ended.
func (r *Runner) watch(ended <-chan struct{}) *StalledError {
	each := max(r.c.StallTimeout/looks, time.Millisecond)
	tick := time.NewTicker(each)
	defer tick.Stop()
	var last, missed [len(r.pulses)]int64
	for {
		select {
		case <-ended:
			return nil
		case <-tick.C:
		}
		var worst StalledError
		for i := range r.pulses {
			p := &r.pulses[i]
			beats := p.beats.Load()
			if missed[i]++; beats != last[i] || p.waiting() {
				last[i], missed[i] = beats, 0
			}
			if quiet := time.Duration(missed[i]) * each; quiet > worst.For {
				worst = StalledError{Stage(p.stage.Load()), quiet}
			}
		}
		r.mu.Lock()
		r.stats.Hanging = worst
		r.mu.Unlock()
		if worst.For >= looks*each {
			return &worst
		}
	}
}
