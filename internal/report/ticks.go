package report

import (
	"strconv"
	"time"

	"gonum.org/v1/plot"
)

// axis is the interpretation of times: dates, or row numbers, which are stored as seconds.
type axis struct{ dates bool }

// newAxis chooses by one time of the run: row numbers, as seconds, are before the year 1973.
func newAxis(t int64) axis { return axis{t > 1e17} }

// x returns the coordinate of a time, in seconds.
func (a axis) x(t int64) float64 { return float64(t) / 1e9 }

// ticker returns a ticker for about n ticks.
func (a axis) ticker(n int) plot.Ticker {
	if a.dates {
		return dateTicks(n)
	}
	return sparse(n)
}

// sparse thins the ticks of plot.DefaultTicks until their labels, in the shortest form, fit.
type sparse int

// Ticks implements plot.Ticker.
func (s sparse) Ticks(lo, hi float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(lo, hi)
	major := 0
	for _, t := range ticks {
		if t.Label != "" {
			major++
		}
	}
	every := (major + int(s) - 1) / int(s)
	i := 0
	kept := ticks[:0]
	for _, t := range ticks {
		if t.Label == "" {
			continue
		}
		if i%every == 0 {
			t.Label = strconv.FormatFloat(t.Value, 'g', 6, 64)
			kept = append(kept, t)
		}
		i++
	}
	return kept
}

// dateTicks is the approximate number of ticks, at round times.
type dateTicks int

// distances are the distances between ticks below a month.
var distances = []time.Duration{
	time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour,
}

// monthly are the distances from a month on, in months.
var monthly = []int{1, 3, 6, 12, 24, 60, 120, 240, 600}

// Ticks implements plot.Ticker.
func (d dateTicks) Ticks(lo, hi float64) []plot.Tick {
	from, to := time.Unix(int64(lo), 0).UTC(), time.Unix(int64(hi)+1, 0).UTC()
	var ticks []plot.Tick
	add := func(t time.Time, layout string) {
		if v := float64(t.Unix()); v >= lo && v <= hi {
			ticks = append(ticks, plot.Tick{Value: v, Label: t.Format(layout)})
		}
	}
	for _, step := range distances {
		if to.Sub(from) > step*time.Duration(d) {
			continue
		}
		for t := from.Truncate(step); !t.After(to); t = t.Add(step) {
			switch {
			case step >= 24*time.Hour, t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0:
				add(t, "Jan 2")
			case step >= time.Minute:
				add(t, "15:04")
			default:
				add(t, "15:04:05")
			}
		}
		return ticks
	}
	months := to.Sub(from).Hours() / 24 / 30.44
	for i, step := range monthly {
		if months > float64(step)*float64(d) && i < len(monthly)-1 {
			continue
		}
		first := from.Year() * 12
		for m := first - first%step; ; m += step {
			t := time.Date(m/12, time.Month(m%12+1), 1, 0, 0, 0, 0, time.UTC)
			if t.After(to) {
				return ticks
			}
			if step < 12 {
				add(t, "Jan 2006")
			} else {
				add(t, "2006")
			}
		}
	}
	return ticks
}
