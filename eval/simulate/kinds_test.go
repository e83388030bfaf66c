package simulate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/simulate"
)

// Each kind has the series that it announces: equal for equal seeds, of finite values, no variable constant.
func TestKinds(t *testing.T) {
	for _, k := range simulate.Kinds() {
		a, b, other := k.Dataset(1).Series[0], k.Dataset(1).Series[0], k.Dataset(2).Series[0]
		if len(a.Rows) != k.Rows || k.Hours > 0 != (a.Times != nil) {
			t.Errorf("%s: %d rows, %d times", k.Name, len(a.Rows), len(a.Times))
		}
		differ := make([]bool, k.Dim)
		for i, row := range a.Rows {
			if len(row) != k.Dim || !slices.Equal(row, b.Rows[i]) {
				t.Fatalf("%s: row %d is %v, drawn again %v", k.Name, i, row, b.Rows[i])
			}
			for j, v := range row {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s: row %d has %v", k.Name, i, v)
				}
				differ[j] = differ[j] || v != a.Rows[0][j] && v != other.Rows[i][j]
			}
		}
		if slices.Contains(differ, false) {
			t.Errorf("%s: a variable is constant, or the same for two seeds", k.Name)
		}
	}
}
