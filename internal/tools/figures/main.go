// Command figures draws the pictures of docs/model.md:
//
//	go run ./internal/tools/figures docs/images/model
package main

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/interval"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: figures DIR")
		os.Exit(2)
	}
	dir := os.Args[1]
	for _, f := range []func(string) error{features, learntMap, forecasts, change} {
		if err := f(dir); err != nil {
			fmt.Fprintln(os.Stderr, "figures:", err)
			os.Exit(1)
		}
	}
}

var (
	black  = color.NRGBA{0x22, 0x22, 0x22, 255}
	grey   = color.NRGBA{0x99, 0x99, 0x99, 120}
	blue   = color.NRGBA{0x1f, 0x83, 0xd0, 255}
	orange = color.NRGBA{0xd5, 0x5e, 0x00, 255}
	green  = color.NRGBA{0x00, 0x9e, 0x73, 255}
)

func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Legend.Top = true
	p.Legend.ThumbnailWidth = vg.Points(20)
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = color.Gray{0xdd}, color.Gray{0xdd}
	p.Add(g)
	return p
}

func line(p *plot.Plot, name string, xy plotter.XYs, c color.Color, dashes ...vg.Length) error {
	l, err := plotter.NewLine(xy)
	if err != nil {
		return err
	}
	l.LineStyle = draw.LineStyle{Color: c, Width: vg.Points(1.6), Dashes: dashes}
	p.Add(l)
	p.Legend.Add(name, l)
	return nil
}

func save(p *plot.Plot, dir, name string) error {
	return p.Save(vg.Points(620), vg.Points(320), filepath.Join(dir, name+".svg"))
}

// features draws the Gaussian kernel and its approximations by random Fourier features.
func features(dir string) error {
	p := newPlot("distance of two inputs, in bandwidths", "kernel")
	curve := func(f func(x float64) float64) plotter.XYs {
		var xy plotter.XYs
		for x := -4.; x <= 4.001; x += .05 {
			xy = append(xy, plotter.XY{X: x, Y: f(x)})
		}
		return xy
	}
	k := spectrum.Gaussian{Sigma: 1}
	if err := line(p, "exact", curve(func(x float64) float64 { return k.K0([]float64{x}) }), black); err != nil {
		return err
	}
	for _, a := range []struct {
		d int
		c color.Color
	}{{10, orange}, {50, green}, {500, blue}} {
		m, err := orff.NewFourier(k, 1, a.d, random.Block(1, 1))
		if err != nil {
			return err
		}
		zero, phi := make([]float64, m.Len()), make([]float64, m.Len())
		m.FeaturesTo(zero, []float64{0})
		approximation := curve(func(x float64) float64 {
			m.FeaturesTo(phi, []float64{x})
			sum := 0.
			for i, v := range phi {
				sum += v * zero[i]
			}
			return sum
		})
		if err := line(p, fmt.Sprintf("%d frequencies", a.d), approximation, a.c); err != nil {
			return err
		}
	}
	return save(p, dir, "features")
}

// learntMap draws the next value of a series over the last value, and the forecasts of two models.
func learntMap(dir string) error {
	const rows, shown = 3000, 300
	data := simulate.Collect("map", simulate.NewSetting(simulate.SettingConfig{Setting: 2, Dim: 1, Seed: 1}), rows)
	y := data.Series[0].Rows
	p := newPlot("last value", "next value")
	var seen, truth plotter.XYs
	for i := rows - shown; i < rows-1; i++ {
		seen = append(seen, plotter.XY{X: y[i][0], Y: y[i+1][0]})
	}
	points, err := plotter.NewScatter(seen)
	if err != nil {
		return err
	}
	points.GlyphStyle = draw.GlyphStyle{Color: grey, Radius: vg.Points(1.6), Shape: draw.CircleGlyph{}}
	p.Add(points)
	p.Legend.Add("observed", points)
	var xs []float64
	for _, s := range seen {
		xs = append(xs, s.X)
	}
	for x := slices.Min(xs); x <= slices.Max(xs); x += .005 {
		truth = append(truth, plotter.XY{X: x, Y: .5 * math.Exp(-10*x*x)})
	}
	if err := line(p, "what made the series", truth, black, 4, 3); err != nil {
		return err
	}
	for _, m := range []struct {
		name string
		make func() (eval.Model, error)
		c    color.Color
	}{
		{"VAR(1)", func() (eval.Model, error) { return varmodel.NewVAR(varmodel.VARConfig{Dim: 1, Order: 1, Horizon: 1}) }, orange},
		{"ORFFVAR", func() (eval.Model, error) {
			return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: 1, Order: 1, Horizon: 1, Seed: 1, Ridge: 1})
		}, blue},
	} {
		model, err := m.make()
		if err != nil {
			return err
		}
		var learnt plotter.XYs
		_, err = scoring.Prequential(model, data, scoring.Options{OnStep: func(s scoring.Step) error {
			if s.Row >= rows-shown && s.Forecast != nil {
				learnt = append(learnt, plotter.XY{X: s.Y[0], Y: s.Forecast[0]})
			}
			return nil
		}})
		if err != nil {
			return err
		}
		slices.SortFunc(learnt, func(a, b plotter.XY) int {
			switch {
			case a.X < b.X:
				return -1
			case a.X > b.X:
				return 1
			}
			return 0
		})
		if err := line(p, m.name, learnt, m.c); err != nil {
			return err
		}
	}
	return save(p, dir, "map")
}

// start is the time of the first row.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// trace runs a model over a data set.
func trace(name string, m eval.Model, data *scoring.Dataset, horizon, drawn int, levels []float64) (*report.Trace, error) {
	d := data.Dim()
	rec := recorder{Model: m}
	tr := report.NewTrace(report.Config{Model: name, Horizon: drawn, Variables: data.Variables, Levels: levels})
	at := func(row int) int64 { return start + int64(row)*3600e9 }
	pick := func(v []float64) []float64 {
		var out []float64
		for from := (drawn - 1) * d; from < len(v); from += horizon * d {
			out = append(out, v[from:from+d]...)
		}
		return out
	}
	rows := data.Len()
	_, err := scoring.Prequential(&rec, data, scoring.Options{Horizon: horizon, Levels: levels, OnStep: func(s scoring.Step) error {
		step := report.Step{Time: at(s.Row), Y: s.Y, Anomaly: math.NaN(), Scored: s.Row > 200}
		if s.Forecast != nil {
			step.Forecast = s.Forecast[(drawn-1)*d : drawn*d]
		}
		if s.Lower != nil {
			step.Lower, step.Upper = pick(s.Lower), pick(s.Upper)
		}
		tr.Step(step)
		if w, ok := eval.As[eval.Mixture](rec.last); ok && s.Row%10 == 0 {
			weights := make([]float64, d*len(w.Experts()))
			w.WeightsTo(weights)
			tr.Weights(w.Experts(), weights)
		}
		if s.Row == rows-1 {
			for h := range horizon {
				var lower, upper []float64
				if s.Lower != nil {
					lower, upper = s.Lower[h*d:(h+1)*d], s.Upper[h*d:(h+1)*d]
				}
				tr.Future(at(s.Row+h+1), s.Forecast[h*d:(h+1)*d], lower, upper)
			}
		}
		return nil
	}})
	return tr, err
}

// recorder keeps the last Forecaster of a Model.
type recorder struct {
	eval.Model
	last eval.Forecaster
}

func (r *recorder) NewSeries() eval.Forecaster {
	r.last = r.Model.NewSeries()
	return r.last
}

// keep draws the traces, and keeps the pictures in names under new names.
func keep(dir string, traces []*report.Trace, names map[string]string) error {
	temp, err := os.MkdirTemp("", "figures-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	if _, err := (&report.Report{Traces: traces}).WriteFiles(temp); err != nil {
		return err
	}
	for from, to := range names {
		text, err := os.ReadFile(filepath.Join(temp, from+".svg"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, to+".svg"), text, 0o644); err != nil { // #nosec G306 -- a picture for all
			return err
		}
	}
	return nil
}

// traces returns the traces of VAR(1), ORFFVAR and auto, with intervals.
func traces(data *scoring.Dataset, order, horizon int, levels []float64) ([]*report.Trace, error) {
	d := data.Dim()
	var all []*report.Trace
	for _, name := range []string{"var1", "orffvar", "auto"} {
		var m eval.Model
		var err error
		switch name {
		case "var1":
			m, err = varmodel.NewVAR(varmodel.VARConfig{Dim: d, Order: 1, Horizon: horizon})
		case "orffvar":
			m, err = auto.NewORFFVAR(auto.ORFFVARConfig{Dim: d, Order: order, Horizon: horizon, Seed: 1, Frequencies: 100, Ridge: 1})
		default:
			m, err = auto.New(auto.Config{Dim: d, Horizon: horizon, Seed: 1})
		}
		if err == nil {
			m, err = interval.WithIntervals(m, interval.Config{Dim: d, Horizon: horizon, Levels: levels})
		}
		if err != nil {
			return nil, err
		}
		t, err := trace(name, m, data, horizon, 1, levels)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// forecasts draws forecasts of a nonlinear series with a season, the errors of three models, and the coverage of their
// intervals.
func forecasts(dir string) error {
	data := simulate.Collect("oscillators", simulate.NewOscillators(3, 24, 1), 3000)
	all, err := traces(data, 3, 24, []float64{.9, .5, .8, .95})
	if err != nil {
		return err
	}
	return keep(dir, all, map[string]string{"forecast-" + data.Variables[0]: "forecast", "errors": "errors", "coverage": "coverage"})
}

// change draws the weights of the experts on a series that changes from linear to nonlinear.
func change(dir string) error {
	const half = 2000
	data := simulate.Collect("change", simulate.NewSetting(simulate.SettingConfig{Setting: 1, Dim: 3, Seed: 2}), half)
	after := simulate.Collect("after", simulate.NewOscillators(3, 24, 2), half)
	data.Series[0].Rows = append(data.Series[0].Rows, after.Series[0].Rows...)
	m, err := auto.New(auto.Config{Dim: 3, Horizon: 1, Seed: 1})
	if err != nil {
		return err
	}
	t, err := trace("auto", m, data, 1, 1, nil)
	if err != nil {
		return err
	}
	return keep(dir, []*report.Trace{t}, map[string]string{"weights": "weights"})
}
