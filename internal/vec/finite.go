package vec

import "math"

// Finite reports whether v is neither NaN nor infinite.
func Finite(v float64) bool { return v-v == 0 }

// AllFinite reports whether every element of v is finite.
func AllFinite(v []float64) bool {
	for _, x := range v {
		if !Finite(x) {
			return false
		}
	}
	return true
}

// FillNaN sets every element of v to NaN.
func FillNaN(v []float64) {
	for i := range v {
		v[i] = math.NaN()
	}
}
