package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// The time of a kernel belongs to the innermost part of the innermost billed package that has called it.
func TestPartsOf(t *testing.T) {
	stack := func(functions ...string) *profile.Sample { // the innermost function first, as in a profile
		s := &profile.Sample{}
		for _, name := range functions {
			name = strings.Replace(name, "~", "github.com/orffvar/forecaster/", 1)
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
		}
		return s
	}
	for _, c := range []struct {
		want  []string
		stack *profile.Sample
	}{
		{[]string{"varmodel.auto", "panel", "expert"}, stack(
			"~internal/vec.uduUpdateAVX512.abi0", "~sgd/online.(*RLS).Update", "~varmodel/auto.(*expert).learn", "~varmodel/auto.(*panel).learnExperts",
			"~varmodel/auto.(*panel).learn", "~varmodel/auto.(*autoSeries).Observe", "~stream/engine.(*Engine).teach", "main.main")},
		{[]string{"eval.anomaly", "Scorer"}, stack("runtime.memmove", "~eval/anomaly.(*Scorer).Score", "~stream/engine.(*scorer).score")},
		{[]string{"varmodel.auto", "statistics"}, stack("~varmodel/auto.statistics.follow", "~varmodel/auto.(*autoSeries).Observe")},
		{[]string{"rest: garbage collection and the tool itself"}, stack("runtime.gcDrain", "runtime.gcBgMarkWorker")},
	} {
		if got := partsOf(c.stack); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
