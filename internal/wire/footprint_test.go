package wire

import (
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/footprint"
)

// TestModelsAreSoonWhole: every model holds after 8 samples what it holds after 64, within a fifth. The engine's budget
// counts on it, because it knows what a series costs from 8 samples.
func TestModelsAreSoonWhole(t *testing.T) {
	for _, m := range models {
		for _, set := range []string{"horizon=3", "influence=true", "intervals=quantile", "joint=true", "anomaly.level_sets=true"} {
			sets := []string{"model.type=" + m.of(), "pipeline.variables=a,b,c", "model." + set}
			if m.name == "seasonal" {
				sets = append(sets, "model.season=3")
			}
			c, err := loaded(t, "", sets...)
			if err != nil {
				continue // the model refuses the setting
			}
			held := func(samples int) float64 {
				model, err := NewModel(c.Model, 3, false)
				if err != nil {
					t.Fatal(err)
				}
				s, y := model.NewSeries(), make([]float64, 3)
				for i := range samples {
					for j := range y {
						y[j] = math.Sin(float64(i*i + j))
					}
					if err := s.Observe(slices.Clone(y)); err != nil {
						t.Fatal(err)
					}
				}
				return float64(footprint.Of(model, s))
			}
			if early, late := held(8), held(64); !(math.Abs(early-late) <= .2*late) {
				t.Errorf("%s with %s: %.0f bytes after 8 samples, %.0f after 64", m.name, set, early, late)
			}
		}
	}
}
