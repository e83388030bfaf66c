package vec

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
)

// bigSinCos returns the sine and cosine of t turns, correctly rounded: an exact
// reduction to [-1/2, 1/2] turn and the power series in 200 bits.
func bigSinCos(t float64) (sin, cos float64) {
	r := new(big.Float).SetPrec(precision).SetFloat64(t - math.RoundToEven(t)) // exact
	twoPi, _, _ := big.ParseFloat("6.28318530717958647692528676655900576839433879875021164194988918461563281", 10, precision, big.ToNearestEven)
	a := new(big.Float).SetPrec(precision).Mul(r, twoPi)
	term := new(big.Float).SetPrec(precision).SetInt64(1)
	s, c := new(big.Float).SetPrec(precision), new(big.Float).SetPrec(precision)
	for k := range int64(60) {
		switch k % 4 {
		case 0:
			c.Add(c, term)
		case 1:
			s.Add(s, term)
		case 2:
			c.Sub(c, term)
		case 3:
			s.Sub(s, term)
		}
		term.Mul(term, a)
		term.Quo(term, new(big.Float).SetInt64(k+1))
	}
	sin, _ = s.Float64()
	cos, _ = c.Float64()
	return sin, cos
}

// angles returns ordinary and extreme angles in turns.
func angles(rng *rand.Rand) []float64 {
	a := []float64{0, math.Copysign(0, -1), 0.25, -0.25, 0.5, -0.5, 0.75, 1, -1, 1.5, 2.5, 0.125,
		math.Nextafter(0.5, 0), math.Nextafter(0.5, 1), math.Nextafter(0.25, 0), math.Nextafter(0.25, 1),
		math.SmallestNonzeroFloat64, 1e-300, 1e-20, 1e-9, 1 << 51, 1<<51 + 0.5, 1 << 52, 1<<53 + 2,
		1e15 + 0.375, 1e12 + 0.3, 1e18, 1e300, math.MaxFloat64}
	for range 2000 {
		a = append(a, rng.Float64()-0.5, rng.NormFloat64(), rng.NormFloat64()*math.Exp2(float64(rng.IntN(60)-10)))
	}
	return a
}

func TestSinCosAgainstBig(t *testing.T) {
	a := angles(rand.New(rand.NewPCG(1, 1)))
	wantSin, wantCos := make([]float64, len(a)), make([]float64, len(a))
	for i, v := range a {
		wantSin[i], wantCos[i] = bigSinCos(v)
	}
	isatest.Each(t, func(t *testing.T) {
		sin, cos := make([]float64, len(a)), make([]float64, len(a))
		SinCos(sin, cos, a)
		worst, most := 0.0, 1.3e-15
		for i, v := range a {
			e := math.Max(math.Abs(sin[i]-wantSin[i]), math.Abs(cos[i]-wantCos[i]))
			worst = math.Max(worst, e)
			if !(e <= most) {
				t.Errorf("%v turns: (%v, %v), want (%v, %v)", v, sin[i], cos[i], wantSin[i], wantCos[i])
			}
			if r := sin[i]*sin[i] + cos[i]*cos[i]; !(math.Abs(r-1) <= 3e-15) {
				t.Errorf("%v turns: sin^2 + cos^2 - 1 = %v", v, r-1)
			}
			if !(math.Abs(sin[i]) <= 1+1e-15) || !(math.Abs(cos[i]) <= 1+1e-15) {
				t.Errorf("%v turns: (%v, %v) outside [-1, 1]", v, sin[i], cos[i])
			}
		}
		t.Logf("largest error %.2e", worst)
	})
}

func TestSinCosLengths(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		for _, n := range isatest.Lengths {
			x, sin, cos := isatest.Vector(t, rng, n), isatest.Guarded(t, n), isatest.Guarded(t, n)
			SinCos(sin, cos, x)
			one := make([]float64, 2)
			for i := range x {
				SinCos(one[:1], one[1:], x[i:i+1])
				if one[0] != sin[i] || one[1] != cos[i] {
					t.Fatalf("element %d of %d differs from the same angle alone", i, n)
				}
			}
		}
	})
}

func TestFeatures(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 3))
		for _, m := range []int{0, 1, 2, 3, 4, 5, 7, 18} {
			for _, d := range isatest.Lengths {
				w, x, phi := isatest.Guarded(t, m*d), isatest.Guarded(t, m), isatest.Guarded(t, 2*d)
				for i := range w {
					w[i] = rng.NormFloat64()
				}
				for i := range x {
					x[i] = rng.NormFloat64()
				}
				const scale = 0.3
				Features(phi, w, x, scale)
				for j := range d {
					angle, abs := sumOfProducts(column(w, m, d, j), x)
					sin, cos := bigSinCos(angle)
					tol := scale * (1.3e-15 + 2*math.Pi*tolerance(m, abs))
					name := fmt.Sprintf("%d x %d, frequency %d", m, d, j)
					near(t, "cos, "+name, phi[j], scale*cos, tol)
					near(t, "sin, "+name, phi[d+j], scale*sin, tol)
				}
			}
		}
	})
}

func TestSinCosInPlace(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		x := randomVector(rand.New(rand.NewPCG(6, 6)), 53)
		sin, cos, other := make([]float64, 53), make([]float64, 53), make([]float64, 53)
		SinCos(sin, cos, x)
		y := clone(x)
		SinCos(other, y, y)
		sameBits(t, "cos", y, cos)
		sameBits(t, "sin", other, sin)
		y = clone(x)
		SinCos(y, other, y)
		sameBits(t, "sin", y, sin)
		sameBits(t, "cos", other, cos)
	})
}

func FuzzSinCos(f *testing.F) {
	for _, v := range []float64{0, 0.25, 1e9, -3.7, 1e300} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		isatest.Each(t, func(t *testing.T) {
			var sin, cos [1]float64
			SinCos(sin[:], cos[:], []float64{v})
			if math.IsNaN(v) || math.IsInf(v, 0) {
				if !math.IsNaN(sin[0]) || !math.IsNaN(cos[0]) {
					t.Errorf("%v turns: (%v, %v), want NaN", v, sin[0], cos[0])
				}
				return
			}
			s, c := bigSinCos(v)
			near(t, "sin", sin[0], s, 1.3e-15)
			near(t, "cos", cos[0], c, 1.3e-15)
		})
	})
}
