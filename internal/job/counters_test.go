package job

import (
	"reflect"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
)

// A partition that comes back goes on counting: all earlier counts are added, and gauges have
// their present values.
func TestCountsOutliveAPartition(t *testing.T) {
	fill := func(c *counters, n int64) {
		for _, v := range []reflect.Value{reflect.ValueOf(c).Elem(), reflect.ValueOf(&c.Stats).Elem()} {
			for i := range v.NumField() {
				if f := v.Field(i); f.Kind() == reflect.Int64 && f.CanSet() {
					f.SetInt(n)
				}
			}
		}
	}
	var now, past counters
	fill(&now, 1)
	fill(&past, 100)
	sum := now.plus(past)
	gauges := map[string]bool{"Series": true, "Watermark": true, "Next": true, "CheckpointBytes": true, "Refused": true}
	v := reflect.ValueOf(sum.Stats)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if f := v.Field(i); f.Kind() == reflect.Int64 && f.Int() != 101 && !gauges[name] {
			t.Errorf("%s is %d, want the sum 101", name, f.Int())
		}
	}
	if sum.Damaged != 101 {
		t.Errorf("Damaged is %d", sum.Damaged)
	}
}

// A late sample is no step of a series: it neither makes nor hides a gap.
func TestLateSamplesAreNoSteps(t *testing.T) {
	g := NewGapWatch(config.Default())
	for i := range int64(300) {
		g.Add("s", i*60e9)
		if i%40 == 39 {
			g.Add("s", (i-2)*60e9) // again, and late
		}
	}
	if got := g.Hint(); got != "" {
		t.Errorf("a regular series with late samples: %s", got)
	}
}
