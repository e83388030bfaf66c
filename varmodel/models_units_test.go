package varmodel

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// twentyBits is exact in binary: a series times it has the same significant bits.
const twentyBits = 1 << 20

// Values in another unit have the forecasts in that unit, bit for bit: the factor is a power of two, so no
// rounding differs, unless a constant of a model has a unit. Units may differ between the variables.
func TestForecastsHaveTheUnitOfTheData(t *testing.T) {
	const d, h, n = 3, 12, 600
	for name, units := range map[string][]float64{"one unit": {twentyBits, twentyBits, twentyBits}, "three units": {twentyBits, 1, 1. / twentyBits}} {
		t.Run(name, func(t *testing.T) {
			eachModel(t, func(t *testing.T, name string) {
				x := modeltest.RandomSeries(rand.New(rand.NewPCG(61, 62)), n, d, .02)
				scaled := make([][]float64, n)
				for i, row := range x {
					for j, v := range row {
						scaled[i] = append(scaled[i], v*units[j])
					}
				}
				got := modeltest.Record(t, newModel(t, name, d, h).NewSeries(), scaled, h*d)
				for _, row := range got {
					for k := range row {
						row[k] /= units[k%d]
					}
				}
				if err := modeltest.Same(modeltest.Record(t, newModel(t, name, d, h).NewSeries(), x, h*d), got); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A constant that is added to all values is added to the forecasts. Values are multiples of 2^-20, so the sums are
// exact, but moments of values near 1,024 are rounded by 1,024^2 * 2^-53 = 1e-10 variances. The least squares of
// auto, whose ridges go down to 1e-6, amplify that: 1e-3 is asked for where the values have a deviation near 1.
func TestForecastsMoveWithTheLevel(t *testing.T) {
	const d, h, n, level = 3, 12, 600, 1024
	eachModel(t, func(t *testing.T, name string) {
		x := modeltest.RandomSeries(rand.New(rand.NewPCG(63, 64)), n, d, .02)
		moved := make([][]float64, n)
		for i, row := range x {
			for j, v := range row {
				row[j] = math.Round(v*twentyBits) / twentyBits
				moved[i] = append(moved[i], row[j]+level)
			}
		}
		want := modeltest.Record(t, newModel(t, name, d, h).NewSeries(), x, h*d)
		for i, row := range modeltest.Record(t, newModel(t, name, d, h).NewSeries(), moved, h*d) {
			for k, v := range row {
				if !(math.Abs(v-level-want[i][k]) <= 1e-3) {
					t.Fatalf("sample %d, forecast %d: %g, without the level %g", i, k, v-level, want[i][k])
				}
			}
		}
	})
}

// drawn are the models whose features are drawn: those of a variable depend on its place.
var drawn = regexp.MustCompile("^(auto|orffvar|kernelvar|krls|nystroem)")

// placed are the models of vector fields: each output is a partial derivative by the input of its place.
var placed = regexp.MustCompile("^kernelvar-(curl|divergence)$")

// The order of the variables does not matter. Of models with drawn features the mean square error may
// change, by as much as with another seed: a tenth. Least squares with a short memory amplify rounding.
func TestOrderOfVariables(t *testing.T) {
	const d, h, n = 3, 12, 600
	eachModel(t, func(t *testing.T, name string) {
		x := modeltest.RandomSeries(rand.New(rand.NewPCG(65, 66)), n, d, .02)
		turned := make([][]float64, n)
		for i, row := range x {
			turned[i] = []float64{row[2], row[0], row[1]}
		}
		want := modeltest.Record(t, newModel(t, name, d, h).NewSeries(), x, h*d)
		got := modeltest.Record(t, newModel(t, name, d, h).NewSeries(), turned, h*d)
		for _, row := range got {
			for k := 0; k < len(row); k += d {
				row[k], row[k+1], row[k+2] = row[k+1], row[k+2], row[k]
			}
		}
		if ratio := squared(got, x, d) / squared(want, x, d); !(math.Abs(ratio-1) <= .1) {
			t.Errorf("%.3f times the error", ratio)
		}
		if drawn.MatchString(name) || name == "var-forget" {
			return
		}
		if far := largestDifference(want, got); !(far <= 1e-9) {
			t.Errorf("forecasts differ by up to %g", far)
		}
	})
}

// A copy of each variable, as exporters of metrics have, teaches nothing, and has the forecasts of its original.
// It may cost an eighth of the error while models learn which of the two to read. The warm start of kernelvar ends an
// iteration at a gradient of 1e-5, so its copies may differ by ten times
// as much.
func TestCopiesOfVariables(t *testing.T) {
	const d, h, n = 3, 12, 600
	eachModel(t, func(t *testing.T, name string) {
		x := modeltest.RandomSeries(rand.New(rand.NewPCG(67, 68)), n, d, .02)
		twice := make([][]float64, n)
		for i, row := range x {
			twice[i] = append(append(twice[i], row...), row...)
		}
		want := modeltest.Record(t, newModel(t, name, d, h).NewSeries(), x, h*d)
		originals, copies := make([][]float64, n), make([][]float64, n)
		for i, row := range modeltest.Record(t, newModel(t, name, 2*d, h).NewSeries(), twice, h*2*d) {
			for of := range slices.Chunk(row, 2*d) {
				originals[i], copies[i] = append(originals[i], of[:d]...), append(copies[i], of[d:]...)
			}
		}
		if ratio := squared(originals, x, d) / squared(want, x, d); !(ratio <= 1.125) {
			t.Errorf("%.3f times the error", ratio)
		}
		limit := 1e-9
		if name == "kernelvar-warm" {
			limit = 1e-4
		}
		if far := largestDifference(originals, copies); !(far <= limit) && !placed.MatchString(name) {
			t.Errorf("a copy has another forecast, by up to %g", far)
		}
	})
}

// squared is the sum of the squared errors of forecasts made from the fiftieth sample on, over all horizons.
func squared(forecasts, x [][]float64, d int) (sum float64) {
	for i := 50; i < len(x); i++ {
		for k, v := range forecasts[i] {
			if at := i + k/d + 1; at < len(x) {
				if e := v - x[at][k%d]; e == e {
					sum += e * e
				}
			}
		}
	}
	return sum
}

func largestDifference(a, b [][]float64) (far float64) {
	for i, row := range a {
		for k, v := range row {
			far = max(far, math.Abs(v-b[i][k]))
		}
	}
	return far
}
