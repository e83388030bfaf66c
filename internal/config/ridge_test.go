package config

import (
	"math"
	"testing"
)

// The penalty of auto is N lambda with lambda = N^-1/2, where N is the number of remembered samples.
func TestRidgeAuto(t *testing.T) {
	c, err := Load(Sources{Set: []Setting{{Path: "model.ridge", Value: "auto"}, {Path: "model.forgetting", Value: "0.9996"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Model.Ridge.Penalty(c.Model.Forgetting); !(math.Abs(got-50) <= 1e-9) {
		t.Errorf("penalty %v for 2500 samples, want 50", got)
	}
	if c.Model.Ridge.String() != "auto" || Default().Model.Ridge.Penalty(1) != 100 {
		t.Errorf("%v, default %v", c.Model.Ridge, Default().Model.Ridge)
	}
	for _, v := range c.Values("model") {
		if v.Key == "model.ridge" && v.Text != "auto" {
			t.Errorf("a state depends on model.ridge: %s", v.Text)
		}
	}
}
