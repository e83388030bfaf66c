package main

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// work is a timed workload. do processes the given number of samples.
type work struct {
	name    string
	samples int
	do      func()
}

// timing is the result of one workload.
type timing struct {
	ns     []float64 // ns per sample, one value per run
	allocs float64   // allocations per call
}

func (t timing) median() float64 { return median(t.ns) }

// ratio returns the median over the runs of t/other.
func (t timing) ratio(other timing) float64 {
	r := make([]float64, len(t.ns))
	for i := range r {
		r[i] = t.ns[i] / other.ns[i]
	}
	return median(r)
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

// measure times the workloads alternately, runs times each, for at least the given time per run.
func measure(runs int, least time.Duration, works ...work) []timing {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	result := make([]timing, len(works))
	calls := make([]int, len(works))
	for i, w := range works {
		w.do() // allocates once, and fills the caches
		result[i].allocs = testing.AllocsPerRun(20, w.do)
		calls[i] = 1
		for {
			if t := timed(calls[i], w.do); t >= least {
				break
			}
			calls[i] *= 2
		}
	}
	for range runs {
		for i, w := range works {
			t := timed(calls[i], w.do)
			result[i].ns = append(result[i].ns, float64(t.Nanoseconds())/float64(calls[i]*w.samples))
		}
	}
	return result
}

func timed(calls int, f func()) time.Duration {
	t := now()
	for range calls {
		f()
	}
	return now() - t
}
