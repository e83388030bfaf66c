package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"github.com/orffvar/forecaster/internal/plural"
)

// Experts have their own band if their share of the weights over the run is at least leastShare. There are at most
// mostBands bands: more colours are hard to distinguish.
const (
	leastShare = .01
	mostBands  = 9
)

// bands returns the experts with their own band, in their order.
func (t *Trace) bands() []int {
	sums, total := make([]float64, len(t.experts)), 0.
	var all []int
	for e := range t.experts {
		for _, b := range t.bins {
			if e < len(b.weights) && b.weighted > 0 {
				sums[e] += max(0, b.weights[e]) / b.weighted
			}
		}
		total += sums[e]
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	all = slices.DeleteFunc(all[:min(mostBands, len(all))], func(e int) bool { return sums[e] < leastShare*total })
	slices.Sort(all)
	return all
}

// weights draws the weights of the experts, stacked. The small ones share a band.
func (t *Trace) weights() *figure {
	known := 0
	for _, b := range t.bins {
		if b.weighted > 0 {
			known++
		}
	}
	if known < 2 {
		return nil
	}
	f := &figure{
		name: "weights", title: "Experts in the mixture", axis: newAxis(t.bins[len(t.bins)-1].time), y: "weight",
		caption: fmt.Sprintf("The weights of the experts of %s in the one-step forecast, averaged over the variables.", t.c.Model),
	}
	shown := t.bands()
	for i, e := range shown {
		f.legend = append(f.legend, entry{t.experts[e], colorOf(i), true})
	}
	var others []string
	for e, name := range t.experts {
		if !slices.Contains(shown, e) {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		sumOf := "sum of " + plural.Count(len(others), "other expert")
		f.legend = append(f.legend, entry{sumOf, grey, true})
		f.caption += " The " + sumOf + " is that of " + strings.Join(others, ", ") + "."
	}
	f.draw = func(p *plot.Plot, _ colors) {
		areas := make([]ribbon, len(f.legend))
		for _, b := range t.bins {
			if b.weighted == 0 {
				continue
			}
			sum := 0.
			for _, w := range b.weights {
				sum += max(0, w)
			}
			low := 0.
			for i := range areas {
				high := 1. // the others
				if i < len(shown) {
					high = low
					if e := shown[i]; e < len(b.weights) {
						high += max(0, b.weights[e]) / sum
					}
				}
				areas[i].add(f.axis.x(b.time), low, high)
				low = high
			}
		}
		for i := range areas {
			areas[i].draw(p, f.legend[i].color)
		}
		p.Y.Min, p.Y.Max = 0, 1
	}
	return f
}
