package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/isa"
	"github.com/orffvar/forecaster/internal/tools/isatest"
)

var (
	errorRules = ErrorRules{Most: 200, Rate: 1. / 200, Recent: .02, Start: 20, Part: .5, Far: 30, Novel: 1e6, Winsor: 10,
		TailSurprisal: 3, Lately: .04, MostSurprisal: 7, Least: .0025, Aftermath: 6, Quantile: 2.5, Excess: .3}
	levelRules = LevelRules{Most: 200, Rate: 1. / 200, Span: .05, Start: 50, Clip: 8, Least: 1e-4, ClipZ: 10, Better: .7,
		Good: .8, MostSquare: 1e12, MostLast: 900, Winsor: 25, FarVariance: 900}
)

// views are the statistics of the anomaly scores, for the same samples.
type views struct {
	e *Errors
	l *Levels
	f *Liveliness
	r *Residuals
}

func newViews(n int) *views {
	return &views{NewErrors(n, errorRules), NewLevels(n, levelRules), NewLiveliness(n, .002, 100, .02, 1./200), NewResiduals(n, .1)}
}

func (v *views) rows() map[string][][]float64 {
	e, l, f, r := v.e, v.l, v.f, v.r
	return map[string][][]float64{
		"errors": {e.Count, e.Scale, e.Recent, e.Quantile, e.Excess, e.Lately, e.Usual, e.Error, e.Ratio, e.Surprisal, e.Square, e.Last},
		"levels": {l.Count, l.Origin, l.Mean, l.Variance, l.DayError, l.MeanError, l.ByDay, l.Deviations, l.Deviation, l.Spread,
			l.Z, l.Square, l.Last, l.Step},
		"liveliness": {f.Before, f.Lately, f.Usual, f.Square, f.Last},
		"residuals":  {r.Mean, r.Usual, r.Square},
	}
}

// Every instruction set agrees with portable Go, bit for bit, in all states of the rules, with missing, repeated,
// infinite and huge values.
func TestViews(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(61, 61))
		for _, n := range lanesOf {
			got, want := newViews(n), newViews(n)
			profile, variance, last := isatest.Guarded(t, n), isatest.Guarded(t, n), make([]float64, n)
			for step := range 600 {
				y, forecast := wilds(t, rng, n), isatest.Guarded(t, n)
				for j := range y {
					if j%2 == 0 && step < 400 {
						y[j] = rng.NormFloat64()
					}
					switch {
					case j%5 == 1 && step%200 > 60:
						y[j] = last[j]
					case j%5 == 2:
						y[j] += 5 * math.Sin(float64(step)/8)
					}
					profile[j] = 5 * math.Sin(float64(step)/8)
					last[j], forecast[j] = y[j], .3*rng.NormFloat64()
					variance[j] = want.l.Variance[j]
				}
				factor, pace, learns, known, limit := 1., 1., step%7 != 0, step > 100, math.Inf(1)
				if step%50 > 30 {
					factor, pace, limit = .7, 2, 1.5
				}
				active := isa.Active
				for _, v := range []*views{want, got} {
					if isa.Active = active; v == want {
						isa.Active = isa.Portable
					}
					e, l, f, r := v.e, v.l, v.f, v.r
					e.Factor, l.Pace, l.Known, r.Pace, e.Learns, f.Learns = factor, pace, known, 2*pace, learns, learns
					e.Add(y, forecast)
					for j, s := range e.Surprisal[:n] { // the caller's part
						if s < 0 {
							e.Surprisal[j] = 3 + math.Log(e.Ratio[j]/e.Quantile[j])
							e.Quantile[j] *= 1.01
						}
					}
					e.Noise(variance)
					l.Compare(y, profile, e.Scale[:n:n])
					f.Add(y, l.Count[:n:n], variance)
					r.Add(l.Z[:n], .01, 25, limit)
					l.Learn(y, profile, r.Square[:n:n], limit, limit)
				}
				expected := want.rows()
				for name, rows := range got.rows() {
					for i, row := range rows {
						sameNumbers(t, fmt.Sprintf("%s of %d, row %d, step %d", name, n, i, step), row[:n], expected[name][i][:n])
					}
				}
			}
		}
	})
}
