package varmodel

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/detection"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// The contract of all models (model_test.go) holds for these as well.
func init() {
	models["quantiles"] = func(d, h int) (eval.Model, error) {
		m, err := NewVAR(VARConfig{Dim: d, Order: 2, Horizon: h})
		if err != nil {
			return nil, err
		}
		return interval.NewQuantiles(m, interval.QuantilesConfig{Dim: d, Order: 2, Horizon: h, Levels: []float64{.5, .9}, Seed: 1})
	}
	models["levelsets"] = func(d, h int) (eval.Model, error) {
		m, err := NewVAR(VARConfig{Dim: d, Order: 1, Horizon: h})
		if err != nil {
			return nil, err
		}
		return interval.NewLevelSets(m, interval.LevelSetConfig{Dim: d, Order: 1, Seed: 1, Frequencies: 20})
	}
}

// On a stationary series about a fraction nu of the samples has a score above 1-nu,
// and samples from elsewhere score higher than the others.
func TestLevelSetsScore(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	m, err := interval.NewLevelSets(newModel(t, "persistence", 2, 1), interval.LevelSetConfig{Dim: 2, Order: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := m.NewSeries()
	detector := modeltest.As[eval.Detector](t, f)
	var scores []float64
	var labels []bool
	for i := range 8000 {
		// Two clusters; novelties lie between them, where no coordinate is unusual.
		side := float64(2*rng.IntN(2) - 1)
		row := []float64{2*side + .5*rng.NormFloat64(), 2*side + .5*rng.NormFloat64()}
		odd := rng.IntN(100) == 0
		if odd {
			row[1] -= 4 * side
		}
		if err := f.Observe(row); err != nil {
			t.Fatal(err)
		}
		if s, ok := detector.Anomaly(); ok && i > 2000 {
			scores, labels = append(scores, s), append(labels, odd)
		}
	}
	if a := detection.AUROC(scores, labels); !(a >= .95) {
		t.Errorf("AUROC %.3f of novelties", a)
	} else {
		t.Logf("AUROC %.3f of novelties", a)
	}
	for _, nu := range []float64{.1, .3, .5, .7} {
		above := 0.0
		for _, s := range scores {
			if s > 1-nu {
				above++
			}
		}
		got := above / float64(len(scores))
		t.Logf("score above %.1f: %.3f", 1-nu, got)
		if !(math.Abs(got-nu) <= .12) {
			t.Errorf("score above %.1f: %.3f of the samples, want about %.1f", 1-nu, got, nu)
		}
	}
}

func TestChapter9RefusesWithTheReason(t *testing.T) {
	m := newModel(t, "var", 1, 1)
	for _, c := range []struct {
		want string
		make func() (eval.Model, error)
	}{
		{"Levels", func() (eval.Model, error) {
			return interval.NewQuantiles(m, interval.QuantilesConfig{Dim: 1, Order: 1, Horizon: 1, Levels: []float64{1}})
		}},
		{"Order", func() (eval.Model, error) {
			return interval.NewQuantiles(m, interval.QuantilesConfig{Dim: 1, Horizon: 1})
		}},
		{"Frequencies", func() (eval.Model, error) {
			return interval.NewLevelSets(m, interval.LevelSetConfig{Dim: 1, Order: 1, Frequencies: -1})
		}},
		{"Bandwidth", func() (eval.Model, error) {
			return interval.NewLevelSets(m, interval.LevelSetConfig{Dim: 1, Order: 1, Bandwidth: -1})
		}},
	} {
		if _, err := c.make(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v does not mention %s", err, c.want)
		}
	}
}
