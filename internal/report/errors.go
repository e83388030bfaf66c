package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// The axis of errors is logarithmic if the largest error exceeds the least by the factor wideErrors. It spans at most
// mostDecades.
const (
	wideErrors  = 100
	mostDecades = 8
)

// errorsOf draws the errors of all models over the run.
func errorsOf(traces []*Trace) *figure {
	f := &figure{
		name: "errors", title: "Errors over time", axis: newAxis(traces[0].bins[len(traces[0].bins)-1].time), y: "MSE / MSE of persistence",
		caption: fmt.Sprintf("Mean squared error, %s ahead, of each %s of the run, in units of that of persistence, which repeats the last value. Below the dashed line a model is better.",
			steps(traces[0].c.Horizon), ofSteps(traces[0].width)),
	}
	type curve struct {
		xy plotter.XYs
		c  color.NRGBA
	}
	var curves []curve
	top := 1.2
	least, largest := 1., 1. // on a logarithmic axis
	for i, t := range traces {
		if t.c.Model == "persistence" {
			continue // the line of the unit is drawn separately
		}
		var xy plotter.XYs
		var all []float64
		for k, v := range t.relativeErrors() {
			xy = append(xy, plotter.XY{X: f.axis.x(t.bins[k].time), Y: v})
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				all = append(all, v)
			}
		}
		if len(all) < 2 {
			continue // a line needs two points
		}
		slices.Sort(all)
		top = max(top, 1.5*all[len(all)*9/10]) // the first bins may be much larger
		largest = max(largest, all[len(all)-1])
		if above, _ := slices.BinarySearch(all, math.SmallestNonzeroFloat64); above < len(all) {
			least = min(least, all[above])
		}
		curves = append(curves, curve{xy, colorOf(i)})
		f.legend = append(f.legend, entry{t.c.Model, colorOf(i), false})
	}
	if len(curves) == 0 {
		return nil
	}
	bottom, scale := 0., func(y float64) float64 { return y }
	logarithmic := largest > wideErrors*least
	if logarithmic {
		scale = math.Log10 // values are plotted as logarithms: plot.LogScale would leave room for a label at the mean of its ends
		bottom, top = max(least, largest*math.Pow10(-mostDecades)), largest
		f.caption += " The axis is logarithmic."
	}
	f.draw = func(p *plot.Plot, c colors) {
		for _, v := range curves {
			clipped := slices.Clone(v.xy)
			for i := range clipped {
				clipped[i].Y = scale(max(bottom, min(top, clipped[i].Y)))
			}
			lines(p, clipped, v.c, 1.4)
		}
		level(p, c, curves[0].xy[0].X, curves[0].xy[len(curves[0].xy)-1].X, scale(1))
		p.Y.Min, p.Y.Max = scale(bottom), scale(top)
		if logarithmic {
			p.Y.Tick.Marker = decades(5)
		}
	}
	return f
}

// decades is the largest number of ticks, about, at powers of ten on an axis of logarithms.
type decades int

// Ticks implements plot.Ticker.
func (n decades) Ticks(lo, hi float64) (ticks []plot.Tick) {
	first, last := int(math.Ceil(lo)), int(math.Floor(hi))
	every := (last-first)/int(n) + 1
	for e := last; e >= first; e -= every {
		ticks = append(ticks, plot.Tick{Value: float64(e), Label: strconv.FormatFloat(math.Pow10(e), 'g', -1, 64)})
	}
	return ticks
}
