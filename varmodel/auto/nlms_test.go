package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

// nlms is the normalised stochastic gradient by its definition.
type nlms struct {
	step  float64
	theta []float64 // outputs x features
}

func (l *nlms) PredictTo(y, phi []float64) { vec.MatVec(y, l.theta, phi) }

func (l *nlms) State(*snapshot.Codec) {}

func (l *nlms) Update(phi, e []float64) {
	vec.AddOuter(l.theta, l.step/(1e-6+vec.Dot(phi, phi)), e, phi)
}

// The features and the learnt weights equal those of a LagDesign.
func TestInputDesignIsALagDesign(t *testing.T) {
	const dim, order, rows = 2, 2, 400
	rng := rand.New(rand.NewPCG(32, 32))
	cfg := ORFFVARConfig{Dim: dim, Order: order, Horizon: 1, Seed: 1, Frequencies: 30, Optimiser: NLMS, Step: .1}
	m, err := NewORFFVAR(cfg)
	if err != nil {
		t.Fatal(err)
	}
	random, err := orff.NewAdaptive(dim*order, 30, 1, random.Block(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	ref := &regression.Model{Dim: dim, Horizon: 1, Depth: order, Design: regression.NewLagDesign(dim, order, true, random)}
	ref.Learner = &nlms{step: .1, theta: make([]float64, dim*ref.Features())}
	a, b := m.NewSeries(), ref.NewSeries()
	y, fa, fb := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	for step := range rows {
		if a.ForecastTo(fa) != b.ForecastTo(fb) {
			t.Fatal(step)
		}
		for j := range fa {
			// Some hundred steps, each with some hundred roundings.
			if step > 0 && !(math.Abs(fa[j]-fb[j]) <= 1e-11) {
				t.Fatalf("step %d: forecast %v, with features of its own %v", step, fa[j], fb[j])
			}
		}
		for j := range y {
			y[j] = .5*y[j] + rng.NormFloat64()
		}
		if a.Observe(y) != nil || b.Observe(y) != nil {
			t.Fatal(step)
		}
	}
}

// Without a bandwidth, all features of the lags are 0, whatever the slice held before.
func TestInputDesignWithoutABandwidth(t *testing.T) {
	const dim, order = 2, 2
	random, err := orff.NewAdaptive(dim*order, 30, 1, random.Block(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	g := regression.NLMSDesign{LagDesign: regression.NewLagDesign(dim, order, true, random)}
	phi := make([]float64, g.Features())
	vec.FillNaN(phi)
	g.FeaturesTo(phi, series.NewScaler(dim), series.NewHistory(dim, order))
	if tail := phi[1+dim*order:]; !slices.Equal(tail, make([]float64, dim*order+1)) {
		t.Errorf("features %v, want 0", tail)
	}
}
