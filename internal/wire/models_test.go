package wire

import (
	"fmt"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/varmodel/auto"
)

// Names of experts are refused unless the model has them.
func TestExpertNames(t *testing.T) {
	m := config.Default().Model
	m.Experts = append(auto.ExpertNames(), "ar24", "var2", "orff2")
	if _, err := NewModel(m, 3, false); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"arma2", "ar06", "ar1000", "orff0", "orff3-lokal"} {
		if m.Experts = []string{name}; CheckModel(m, 3) == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// Every Matérn kernel of orff has a name, and no other one.
func TestEveryMaternHasAName(t *testing.T) {
	for half := range 21 {
		k := config.Kernel{Name: fmt.Sprintf("matern%d2", 2*half+1)}
		row, ok := kernelNamed(k.Name)
		if !ok {
			t.Fatalf("%s is no row", k.Name)
		}
		if s, want := row.spectrum(k, 3), (spectrum.Matern{Half: half, Ell: 1}); s != want {
			t.Errorf("%s: %v, want %v", k.Name, s, want)
		}
	}
	if _, err := orff.NewFourier(spectrum.Matern{Half: 21, Ell: 1}, 3, 1, random.New(1)); err == nil {
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
