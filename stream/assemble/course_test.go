package assemble_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
)

// rising returns n values that rise by step from a value, with regular falls to a value.
func rising(n int, from, step float64, every int, to float64) (v []float64) {
	x := from
	for i := range n {
		if every > 0 && i > 0 && i%every == 0 {
			x = to
		}
		v = append(v, x)
		x += step
	}
	return v
}

// TestCounters: a counter rises more than twenty times, falls to less than half alone and at most once in twenty
// rises, is never negative, and its mean is more than ten times its mean step.
func TestCounters(t *testing.T) {
	for name, c := range map[string]struct {
		values  []float64
		counter bool
	}{
		"21 rises":               {rising(22, 100, 1, 0, 0), true},
		"20 rises":               {rising(21, 100, 1, 0, 0), false},
		"from nothing":           {rising(22, 0, 1, 0, 0), true}, // 10.5 > 10 * 21 / 22
		"a step too large":       {append(rising(22, 0, 1, 0, 0), 1000), false},
		"nothing":                {nil, false},
		"only missing":           {slices.Repeat([]float64{math.NaN()}, 50), false},
		"stays":                  {slices.Repeat([]float64{5}, 50), false},
		"negative at first":      {append([]float64{-1}, rising(40, 100, 1, 0, 0)...), false},
		"a fall to half":         {append(rising(60, 100, 1, 0, 0), 79.5, 80.5), false},
		"a fall to less":         {append(rising(60, 100, 1, 0, 0), 79.4, 80.4), true},
		"one fall in 20 rises":   {rising(84, 100, 1, 21, 10), true}, // 80 rises, 3 falls
		"one fall in 20 exactly": {rising(43, 300, 1, 21, 10), true},
		"too many falls":         {rising(41, 300, 1, 20, 10), false}, // 38 rises, 2 falls
		"missing between":        {slices.Insert(rising(22, 100, 1, 0, 0), 3, math.NaN(), math.NaN()), true},
	} {
		var course assemble.Course
		rises, falls, resets := 0, 0, 0
		known := slices.DeleteFunc(slices.Clone(c.values), math.IsNaN)
		for i, v := range known[min(1, len(known)):] {
			switch {
			case v > known[i]:
				rises++
			case v < known[i]:
				if falls++; v < known[i]/2 {
					resets++
				}
			}
		}
		for _, v := range c.values {
			course.Add(v)
		}
		if course.Known != len(known) || course.Rises != rises || course.Falls != falls || course.Resets != resets || course.Same != max(0, len(known)-1)-rises-falls {
			t.Errorf("%s: %+v", name, course)
		}
		if len(known) > 0 && (course.Least != slices.Min(known) || course.Largest != slices.Max(known)) {
			t.Errorf("%s: in [%g, %g]", name, course.Least, course.Largest)
		}
		if got := course.Counter(); got != c.counter {
			t.Errorf("%s: %t: %+v", name, got, course)
		}
	}
}

// TestCountersOfSeries: a trend is a counter if it resets, has integers or the name of one, in one series at least.
func TestCountersOfSeries(t *testing.T) {
	names := []string{"trend", "whole", "resets", "in_bytes", "bytesized", "level"}
	a, b := &stream.Series{Name: "a", Variables: names}, &stream.Series{Name: "b", Variables: []string{"resets", "level"}}
	var w assemble.Courses
	resets := rising(66, 100.5, 1, 22, .5)
	for i := range 66 {
		x := float64(i)
		w.Add(a, []float64{100.5 + x, 100 + x, resets[i], 100.5 + x, 100.5 + x, float64(i % 7)})
		w.Add(b, []float64{resets[i], 5})
	}
	got, n := w.Counters()
	if want := []string{"whole", "resets", "in_bytes"}; !slices.Equal(got, want) || n != 4 {
		t.Errorf("%q with %d resets, want %q with 4", got, n, want)
	}
	if got, n := new(assemble.Courses).Counters(); got != nil || n != 0 {
		t.Errorf("of nothing: %q, %d", got, n)
	}

	var many assemble.Courses // a thousand series are looked at
	for i := range 1001 {
		s := &stream.Series{Name: strconv.Itoa(i), Variables: []string{"n" + strconv.Itoa(i)}}
		for x := range 30 {
			many.Add(s, []float64{100 + float64(x)})
		}
	}
	if got, _ := many.Counters(); len(got) != 1000 || got[999] != "n999" {
		t.Errorf("%d of 1001 series are looked at", len(got))
	}
}
