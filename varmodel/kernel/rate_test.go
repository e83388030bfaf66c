package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// A Newton step moves a block by the weight that its mini-batch has in the curvature of the
// block: at first that of one batch more than there were, then 1 - forgetting. So the memory
// of the weights is that of the curvature, however many blocks take turns.
func TestNewtonStepsForgetAsTheirCurvature(t *testing.T) {
	for _, forgetting := range []float64{.5, .9, .995} {
		for _, blocks := range []int{1, 3} {
			r := newtonRate{blocks, forgetting}
			for step := 1; step <= 3000*blocks; step++ {
				visits := (step + blocks - 1) / blocks // of this block, with this one
				want := 1 / float64(visits+1)
				if want < 1-forgetting {
					want = 1 - forgetting
				}
				if got := r.Rate(step); got != want {
					t.Fatalf("forgetting %g, %d blocks, step %d: rate %v, want %v", forgetting, blocks, step, got, want)
				}
			}
		}
	}
}

// Plain steps of kernels that couple many outputs are as short as those of uncoupled ones are safe:
// white noise, whose best forecast has half the squared error of persistence, is forecast better
// than by persistence. With rate 0.1 the error is a multiple of it.
func TestPlainStepsKeepToTheNormOfTheKernel(t *testing.T) {
	const dim = 32
	gamma := make([]float64, dim*dim)
	for i := range gamma {
		gamma[i] = .9
		if i%(dim+1) == 0 {
			gamma[i] = 1
		}
	}
	out, err := coupling.New(dim, gamma)
	if err != nil {
		t.Fatal(err)
	}
	for name, build := range map[string]func(r random.Rand) (orff.Map, error){
		"Gamma": func(r random.Rand) (orff.Map, error) {
			l, err := orff.NewLinear(dim, 1)
			if err != nil {
				return nil, err
			}
			return orff.NewDecomposable(l, out), nil
		},
		"transformable": func(r random.Rand) (orff.Map, error) {
			f, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, 1, 20, r)
			if err != nil {
				return nil, err
			}
			return algebra.NewTransformable(f, algebra.Coordinates(dim))
		},
	} {
		m, err := NewVAR(VARConfig{Dim: dim, Order: 1, Horizon: 1, Step: PlainSteps, Map: build})
		if err != nil {
			t.Fatal(err)
		}
		r, err := scoring.Prequential(m, noiseWithShock(dim, 1500), scoring.Options{From: 500})
		if err != nil {
			t.Fatal(err)
		}
		if s := r.Score(scoring.All, 0).SkillVsNaive; !(s > 0) {
			t.Errorf("%s: skill against persistence %.3f", name, s)
		}
	}
}

// noiseWithShock is white noise of which most is common to all variables.
func noiseWithShock(dim, rows int) *scoring.Dataset {
	rng := rand.New(rand.NewPCG(1, 9))
	data := &scoring.Dataset{Name: "noise", Variables: make([]string, dim), Series: []scoring.Series{{Name: "noise"}}}
	for range rows {
		row := make([]float64, dim)
		common := 3 * rng.NormFloat64()
		for j := range row {
			row[j] = common + rng.NormFloat64()
		}
		data.Series[0].Rows = append(data.Series[0].Rows, row)
	}
	return data
}
