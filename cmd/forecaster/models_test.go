package main

import (
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
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
