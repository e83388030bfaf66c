package build

import (
	"fmt"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/varmodel"
)

// The names that the configuration accepts are those of the model.
func TestExpertNames(t *testing.T) {
	if names := varmodel.ExpertNames(); !slices.Equal(config.Experts, names) {
		t.Errorf("config.Experts is %v, the model has %v", config.Experts, names)
	}
	m := config.Default().Model
	m.Experts = []string{"ar24", "var2", "orff2", "orff3-local"}
	if _, err := NewModel(m, 3, false); err != nil {
		t.Error(err)
	}
}

// Every Matern kernel of orff has a name, and no other one.
func TestEveryMaternHasAName(t *testing.T) {
	for half := range 21 {
		c := config.Default().Model
		c.Type, c.Kernel.Name = "kernelvar", fmt.Sprintf("matern%d2", 2*half+1)
		s, err := newSpectrum(c.Kernel, 3)
		if want := (orff.Matern{Half: half, Ell: 1}); s != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", c.Kernel.Name, s, err, want)
		}
		if _, err := NewModel(c, 3, false); err != nil {
			t.Error(err)
		}
	}
	if _, err := orff.NewFourier(orff.Matern{Half: 21, Ell: 1}, 3, 1, orff.NewRand(1)); err == nil {
		t.Error("there are more")
	}
}

// The blocks of a configuration grow: the model that may learns as the one that may
// not until then, and other things from there on.
func TestBlocksGrowByConfiguration(t *testing.T) {
	forecasts := func(grow int) (all []float64) {
		c := config.Default().Model
		c.Type, c.Order, c.Horizon, c.Frequencies = "kernelvar", 1, 1, 20
		c.Optimiser.Batch, c.Optimiser.Blocks = 2, 2
		if c.Optimiser.Grow = grow; grow > 0 {
			c.Optimiser.MostBlocks = 4
		}
		m, err := NewModel(c, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		s, x := m.NewSeries(), []float64{.4}
		y := make([]float64, 1)
		for range 400 {
			if err := s.Observe(x); err != nil {
				t.Fatal(err)
			}
			s.ForecastTo(y)
			all = append(all, y[0])
			x[0] = 3.9 * x[0] * (1 - x[0])
		}
		return all
	}
	fixed, growing := forecasts(0), forecasts(100) // steps, of 2 samples, from sample 100 on
	if !slices.Equal(fixed[:290], growing[:290]) || slices.Equal(fixed[310:], growing[310:]) {
		t.Error("the forecasts differ not when the blocks do")
	}
}
