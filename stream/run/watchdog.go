package run

import (
	"fmt"
	"sync/atomic"
	"time"
)

// StalledError reports that a stage hangs: its model, source, sink or store neither returns nor
// sends a heartbeat. The process should end, because nothing else can stop the stage.
type StalledError struct {
	Stage Stage
	For   time.Duration
}

func (e *StalledError) Error() string {
	return fmt.Sprintf("stream: the stage %q has hung for %v: the process has to end, and the next start resumes from the last checkpoint", e.Stage, e.For)
}

// pulse holds the stage and the number of heartbeats of one goroutine.
type pulse struct {
	stage atomic.Int32
	beats atomic.Int64
}

// enter sets the stage, which is a heartbeat. StageRead and StageWait have no time limit. A
// goroutine that has ended is in StageWait.
func (p *pulse) enter(s Stage) {
	p.stage.Store(int32(s))
	p.beats.Add(1)
}

func (p *pulse) waiting() bool {
	s := Stage(p.stage.Load())
	return s == StageRead || s == StageWait
}

// hanging returns the error for work abandoned after limit: the first stage that does not wait.
func (r *Runner) hanging(limit time.Duration) *StalledError {
	for i := range r.pulses {
		if p := &r.pulses[i]; !p.waiting() {
			return &StalledError{Stage(p.stage.Load()), limit}
		}
	}
	return &StalledError{StageWait, limit}
}

// looks is the number of checks within StallTimeout. The watchdog counts checks instead of
// time, so that a suspended process does not look like a hung stage.
const looks = 60

// watch returns the error of the first stage that hangs, or nil after ended is closed.
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
