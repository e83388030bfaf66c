package engine

import (
	"math"
	"slices"
	"testing"
)

func TestBoundsClip(t *testing.T) {
	var none *bounds
	v := []float64{-1, 200, math.NaN(), 50}
	want := slices.Clone(v)
	if none.clip(v); !slices.Equal(v[:2], want[:2]) {
		t.Errorf("without bounds %v", v)
	}
	b := newBounds(&Config{Bounds: func([]string) (low, high []float64) {
		return []float64{0, math.Inf(-1)}, []float64{math.Inf(1), 100}
	}}, []string{"queue", "cpu"})
	b.clip(v)
	if v[0] != 0 || v[1] != 100 || !math.IsNaN(v[2]) || v[3] != 50 {
		t.Errorf("got %v", v)
	}
	if newBounds(&Config{}, nil) != nil {
		t.Error("bounds without a configuration")
	}
}
