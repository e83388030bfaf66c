package main

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
	if _, err := newModel(m, 3, false); err != nil {
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
		if _, err := newModel(c, 3, false); err != nil {
			t.Error(err)
		}
	}
	if _, err := orff.NewFourier(orff.Matern{Half: 21, Ell: 1}, 3, 1, orff.NewRand(1)); err == nil {
		t.Error("there are more")
	}
}
