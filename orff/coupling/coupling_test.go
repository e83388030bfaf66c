package coupling

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/maptest"
)

// C2.6: Simplex coding (section 6.4.1.1, corrected): C_2 = [1, −1]; C_T = [[1, −1ᵀ/(T−1)]; [0, √(1
// − 1/(T−1)²) C_{T−1}]]: unit columns with inner products −1/(T − 1).
func TestC2_6_Simplex(t *testing.T) {
	maptest.NearAll(t, "C_2", Simplex(2), []float64{1, -1}, 0)
	maptest.NearAll(t, "C_3", Simplex(3), []float64{1, -0.5, -0.5, 0, 0.8660254037844386, -0.8660254037844386}, 1e-15)
	maptest.NearAll(t, "C_4", Simplex(4), []float64{
		1, -1. / 3, -1. / 3, -1. / 3,
		0, 0.9428090415820634, -0.4714045207910317, -0.4714045207910317,
		0, 0, 0.8164965809277259, -0.8164965809277259}, 1e-15)
	for T := 2; T < 9; T++ {
		c := Simplex(T)
		for a := range T {
			for b := range T {
				var s float64
				for i := range T - 1 {
					s += c[i*T+a] * c[i*T+b]
				}
				want := -1 / float64(T-1)
				if a == b {
					want = 1
				}
				maptest.Near(t, "inner product of two corners", s, want, 1e-14)
			}
			h := make([]float64, T-1)
			for i := range h {
				h[i] = c[i*T+a]
			}
			if got := DecodeSimplex(h); got != a {
				t.Errorf("corner %d of %d decodes to %d", a, T, got)
			}
		}
		for i := range T - 1 {
			for j := range T - 1 {
				want := 0.0
				if i == j {
					want = float64(T) / float64(T-1)
				}
				maptest.Near(t, "C C^T", vec.Dot(c[i*T:(i+1)*T], c[j*T:(j+1)*T]), want, 1e-14)
			}
		}
	}
}

func TestLowRank(t *testing.T) {
	gamma := maptest.Must(GraphGamma(3, maptest.Path3, 0.1))
	for q := 1; q <= 3; q++ {
		o := maptest.Must(LowRank(3, q, gamma))
		if _, inner := o.Dims(); inner != q {
			t.Errorf("rank %d, want %d", inner, q)
		}
		// Eckart and Young: the error has the next eigenvalue as its norm; the
		// eigenvalues are 10, 1/1.1 and 1/3.1.
		e := o.Gamma()
		for i := range e {
			e[i] = gamma[i] - e[i]
		}
		low, trace := maptest.Smallest(t, 3, e)
		want := []float64{1/1.1 + 1/3.1, 1 / 3.1, 0}[q-1]
		maptest.Near(t, "trace of the rest", trace, want, 1e-12)
		if !(low >= -1e-12) {
			t.Errorf("the rest has the eigenvalue %g", low)
		}
	}
	if _, err := LowRank(3, 4, gamma); err == nil {
		t.Error("rank 4 of 3 was accepted")
	}
	if _, err := NewSimplex(1); err == nil {
		t.Error("one class was accepted")
	}
}

func TestCorrelation(t *testing.T) {
	// y2 = y1 + noise, y3 independent, y4 constant.
	s := maptest.Must(NewCorrelation(4, 1))
	const n = 20000
	z := maptest.Normals(8, 3*n)
	for i := range n {
		s.Observe([]float64{z[3*i], z[3*i] + z[3*i+1], 5 + 2*z[3*i+2], 7})
		s.Observe([]float64{1, math.NaN(), 3, 4}) // left out
	}
	g := make([]float64, 16)
	s.GammaTo(g, 0)
	tol := 5 / math.Sqrt(n)
	maptest.Near(t, "correlation of y1, y2", g[1], math.Sqrt(0.5), tol)
	maptest.Near(t, "correlation of y1, y3", g[2], 0, tol)
	maptest.Near(t, "correlation with a constant", g[3], 0, 0)
	maptest.Near(t, "diagonal", g[15], 1, 0)
	maptest.Near(t, "symmetry", g[4], g[1], 0)
	s.GammaTo(g, 0.25)
	maptest.Near(t, "shrunk", g[1], 0.75*math.Sqrt(0.5), tol)
	if _, err := New(4, g); err != nil {
		t.Error(err)
	}

	// Against the definition, with decay.
	s = maptest.Must(NewCorrelation(2, 0.9))
	var w, m1, m2 float64
	for i := range 30 {
		s.Observe(z[2*i : 2*i+2])
		f := math.Pow(0.9, float64(29-i))
		w, m1, m2 = w+f, m1+f*z[2*i], m2+f*z[2*i+1]
	}
	var c11, c12, c22 float64
	for i := range 30 {
		f, a, b := math.Pow(0.9, float64(29-i)), z[2*i]-m1/w, z[2*i+1]-m2/w
		c11, c12, c22 = c11+f*a*a, c12+f*a*b, c22+f*b*b
	}
	g = g[:4]
	s.GammaTo(g, 0)
	maptest.Near(t, "weighted correlation", g[1], c12/math.Sqrt(c11*c22), 1e-13)

	enc := snapshot.NewEncoder(nil)
	s.State(enc)
	other := maptest.Must(NewCorrelation(2, 0.9))
	dec := snapshot.NewDecoder(enc.Bytes())
	other.State(dec)
	if err := dec.Finish(); err != nil {
		t.Fatal(err)
	}
	s.Observe([]float64{1, 2})
	other.Observe([]float64{1, 2})
	h := make([]float64, 4)
	s.GammaTo(g, 0.1)
	other.GammaTo(h, 0.1)
	maptest.NearAll(t, "Gamma after restoring", h, g, 0)
}

func TestSimilarityGraph(t *testing.T) {
	nan := math.NaN()
	s := maptest.Must(SimilarityGraph(3, []float64{1, 1, nan, 2, 4, nan, 3, nan, nan}, 0.5))
	// Two of three rows are shared by outputs 1 and 2, distance 2 there.
	maptest.Near(t, "S_12", s[1], math.Exp(-0.5*math.Sqrt(4*3/2.0)), 1e-15)
	maptest.NearAll(t, "S", s, []float64{0, s[1], 0, s[1], 0, 0, 0, 0, 0}, 0)
	if _, err := GraphGamma(3, s, 0.1); err != nil {
		t.Error(err)
	}
}
