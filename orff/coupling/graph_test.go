package coupling

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/orff/internal/maptest"
)

// C2.5: Graphs (section 3.3.3): Γ = (L + ηI)^−1 of the Laplacian L = diag(S1) − S couples outputs;
// the pseudo-inverse L⁺ cannot represent a common mean. Checked on a path of three nodes.
func TestC2_5_GraphOfAPath(t *testing.T) {
	g := maptest.Must(GraphGammaCentred(3, maptest.Path3))
	// Eigenvalues 0, 1, 3: a dozen roundings.
	maptest.NearAll(t, "L^+", g, []float64{5. / 9, -1. / 9, -4. / 9, -1. / 9, 2. / 9, -1. / 9, -4. / 9, -1. / 9, 5. / 9}, 1e-14)
	if _, inner := maptest.Must(New(3, g)).Dims(); inner != 2 {
		t.Errorf("L^+ has rank %d, want 2", inner)
	}
	g = maptest.Must(GraphGamma(3, maptest.Path3, 0.1))
	maptest.NearAll(t, "row 1 of (L + 0.1 I)^-1", g[:3], []float64{3.8416422287390017, 3.2258064516129012, 2.932551319648092}, 1e-13)
}

func TestGraphRefuses(t *testing.T) {
	for name, s := range map[string][]float64{
		"negative":   {0, -1, -1, 0},
		"asymmetric": {0, 1, 2, 0},
		"NaN":        {0, math.NaN(), math.NaN(), 0},
		"infinite":   {0, math.Inf(1), math.Inf(1), 0},
	} {
		if _, err := GraphGamma(2, s, 0.1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := GraphGamma(2, []float64{0, 1, 1, 0}, 0); err == nil {
		t.Error("eta = 0: no error")
	}
	if _, err := GraphGamma(2, []float64{0}, 0.1); err == nil || err.Error() != "orff: a graph of 2 outputs needs 4 weights, got 1" {
		t.Errorf("too short: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, g := range map[string][]float64{
		"indefinite": {1, 2, 2, 1},
		"asymmetric": {1, 0.5, 0.4, 1},
		"zero":       {0, 0, 0, 0},
		"negative":   {-1, 0, 0, -1},
		"NaN":        {math.NaN(), 0, 0, 1},
		"too short":  {1},
	} {
		if _, err := New(2, g); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	out := maptest.Must(New(2, []float64{2, 2, 2, 2}))
	if _, inner := out.Dims(); inner != 1 {
		t.Errorf("rank one Gamma has p' = %d", inner)
	}
	maptest.NearAll(t, "Gamma", out.Gamma(), []float64{2, 2, 2, 2}, 1e-15)
}
