package varmodel

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/calendar"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// drivenData is an autoregression of two variables driven by an input without any
// pattern, which enters at the very row.
func drivenData(rows int, seed uint64) *scoring.Dataset {
	r := rand.New(rand.NewPCG(seed, 51))
	s := scoring.Series{Name: "s"}
	x, level := make([]float64, 2), 0.0
	for range rows {
		level = .8*level + r.NormFloat64()
		x = []float64{.6*x[0] + level + .3*r.NormFloat64(), .6*x[1] - .5*level + .2*x[0] + .3*r.NormFloat64()}
		s.Rows = append(s.Rows, x)
		s.Inputs = append(s.Inputs, []float64{level})
	}
	return &scoring.Dataset{Name: "driven", Variables: []string{"a", "b"}, Inputs: []string{"driver"}, Series: []scoring.Series{s}}
}

var driven = map[string]func(k, h int) (eval.Model, error){
	"auto": func(k, h int) (eval.Model, error) {
		return auto.New(auto.Config{Dim: 2, Horizon: h, Exogenous: k})
	},
	"orffvar": func(k, h int) (eval.Model, error) {
		return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: 2, Order: 2, Horizon: h, Exogenous: k})
	},
	"var": func(k, h int) (eval.Model, error) {
		return NewVAR(VARConfig{Dim: 2, Order: 2, Horizon: h, Exogenous: k})
	},
}

// An input that is known in advance removes its part of the error: at one step all but the noise, 0.09, at six steps at
// least three quarters. The current value of the input alone helps little, because the input only decays.
func TestInputsHelp(t *testing.T) {
	const horizon = 6
	with := drivenData(3000, 1)
	without := *with
	without.Inputs, without.Series = nil, []scoring.Series{{Name: "s", Rows: with.Series[0].Rows}}
	for name, build := range driven {
		mse := func(data *scoring.Dataset, known bool) (one, six float64) {
			t.Helper()
			m, err := build(len(data.Inputs), horizon)
			if err != nil {
				t.Fatal(err)
			}
			r, err := scoring.Prequential(m, data, scoring.Options{Horizon: horizon, From: 500, KnownInputs: known})
			if err != nil {
				t.Fatal(err)
			}
			return r.Score(scoring.All, 0).MSE, r.Score(scoring.All, horizon-1).MSE
		}
		one, six := mse(&without, false)
		measured, _ := mse(with, false)
		knownOne, knownSix := mse(with, true)
		t.Logf("%-8s one step %.3f, measured %.3f, known %.3f; six steps %.3f, known %.3f", name, one, measured, knownOne, six, knownSix)
		if !(measured <= 1.01*one) || !(knownOne <= .25*one) || !(knownSix <= .25*six) {
			t.Errorf("%s: one step %.3f, measured %.3f, known %.3f; six steps %.3f, known %.3f", name, one, measured, knownOne, six, knownSix)
		}
	}
}

// What inputs will be after those that a model was told changes no forecast, and
// a state taken in the middle goes on alike.
func TestInputsAreUsedAsGiven(t *testing.T) {
	const horizon, cut = 3, 300
	data := drivenData(600, 2)
	rows, inputs := data.Series[0].Rows, data.Series[0].Inputs
	for name, build := range driven {
		run := func(change float64, restart bool) (all [][]float64) {
			m, err := build(1, horizon)
			if err != nil {
				t.Fatal(err)
			}
			f := m.NewSeries()
			u := make([]float64, horizon+1)
			for i, y := range rows {
				if restart && i == cut {
					m, f = again(t, m, f, func() (eval.Model, error) { return build(1, horizon) })
				}
				for h := range u {
					u[h] = math.NaN()
					if i+h < len(inputs) {
						u[h] = inputs[i+h][0]
						if i+h >= cut+horizon {
							u[h] += change
						}
					}
				}
				modeltest.As[eval.InputTaker](t, f).SetInputs(u)
				if err := f.Observe(y); err != nil {
					t.Fatal(err)
				}
				dst := make([]float64, horizon*2)
				f.ForecastTo(dst)
				all = append(all, dst)
			}
			return all
		}
		whole := run(0, false)
		if err := modeltest.Same(whole[:cut], run(100, false)[:cut]); err != nil {
			t.Errorf("%s: inputs that were not told yet changed a forecast: %v", name, err)
		}
		if modeltest.Same(whole, run(100, false)) == nil {
			t.Errorf("%s: the inputs change nothing", name)
		}
		if err := modeltest.Same(whole, run(0, true)); err != nil {
			t.Errorf("%s: restored: %v", name, err)
		}
	}
}

// again saves a model and its series and restores them into new ones.
func again(t *testing.T, m eval.Model, f eval.Forecaster, build func() (eval.Model, error)) (eval.Model, eval.Forecaster) {
	t.Helper()
	enc := snapshot.NewEncoder(nil)
	m.State(enc)
	f.State(enc)
	fresh, err := build()
	if err != nil {
		t.Fatal(err)
	}
	g := fresh.NewSeries()
	dec := snapshot.NewDecoder(enc.Bytes())
	fresh.State(dec)
	g.State(dec)
	if err := dec.Finish(); err != nil {
		t.Fatal(err)
	}
	return fresh, g
}

// The calendar as inputs, on hourly series of the air of a city and of a
// transformer: it must not cost anything at any horizon, and pays on the first.
func TestProtocolCalendar(t *testing.T) {
	modeltest.Measuring(t)
	for name, gain := range map[string]float64{"air_quality_uci": .02, "ETTh2": 0} {
		x := modeltest.ReadSeries(t, name+".csv")
		s := scoring.Series{Name: name, Rows: x}
		start := time.Date(2004, 3, 10, 18, 0, 0, 0, time.UTC)
		if name == "ETTh2" {
			start = time.Date(2016, 7, 1, 0, 0, 0, 0, time.UTC)
		}
		for i := range x {
			s.Times = append(s.Times, start.Add(time.Duration(i)*time.Hour).UnixNano())
		}
		data := &scoring.Dataset{Name: name, Variables: make([]string, len(x[0])), Series: []scoring.Series{s}}
		skills := make(map[int][]float64)
		for _, terms := range [][]string{nil, {"hour"}, {"hour", "weekday"}, {"hour", "weekday", "month"}} {
			c, err := calendar.New(terms, "")
			if err != nil {
				t.Fatal(err)
			}
			m, err := auto.New(auto.Config{Dim: data.Dim(), Horizon: 24, Exogenous: c.Len()})
			if err != nil {
				t.Fatal(err)
			}
			r, err := scoring.Prequential(m, data, scoring.Options{
				Horizon: 24, Horizons: []int{1, 3, 6, 12, 24}, ScaleRows: len(x) / 5, From: len(x) / 4, Calendar: c,
			})
			if err != nil {
				t.Fatal(err)
			}
			for k := range r.Horizons {
				skills[len(terms)] = append(skills[len(terms)], r.Score(scoring.All, k).SkillVsNaive)
			}
			t.Logf("%-16s %v: skill against persistence %.4f", name, terms, skills[len(terms)])
		}
		for k, v := range skills[2] {
			if base := skills[0][k]; !(v >= base+gain*(1-base)) && k < 4 || !(v >= base-.01) {
				t.Errorf("%s, horizon %d: skill %.4f, without %.4f", name, []int{1, 3, 6, 12, 24}[k], v, base)
			}
		}
	}
}

// A nonlinear effect of an input: y = .5 y + sin(2u) + noise. Linear features of u
// explain little of sin(2u) for u in [-2, 2]; the default model must find most.
func TestNonlinearInputsHelp(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 52))
	s := scoring.Series{Name: "s"}
	y := 0.0
	for range 3000 {
		u := 4*r.Float64() - 2
		y = .5*y + math.Sin(2*u) + .2*r.NormFloat64()
		s.Rows = append(s.Rows, []float64{y})
		s.Inputs = append(s.Inputs, []float64{u})
	}
	data := &scoring.Dataset{Name: "shape", Variables: []string{"y"}, Inputs: []string{"u"}, Series: []scoring.Series{s}}
	mse := func(m eval.Model, err error) float64 {
		if err != nil {
			t.Fatal(err)
		}
		res, err := scoring.Prequential(m, data, scoring.Options{From: 1000, KnownInputs: true})
		if err != nil {
			t.Fatal(err)
		}
		return res.Score(scoring.All, 0).MSE
	}
	linear := mse(NewVAR(VARConfig{Dim: 1, Order: 1, Horizon: 1, Exogenous: 1}))
	auto := mse(auto.New(auto.Config{Dim: 1, Horizon: 1, Exogenous: 1}))
	t.Logf("linear %.4f, auto %.4f, noise %.4f", linear, auto, .04)
	if !(auto <= .2*linear) {
		t.Errorf("auto %.4f, linear %.4f", auto, linear)
	}
}
