package orff

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff/distance"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

func newAdaptive(t testing.TB, d, D int, factor float64) *Adaptive {
	t.Helper()
	a, err := NewAdaptive(d, D, factor, random.Block(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// With its bandwidth, an Adaptive equals a Fourier except for the factor 1/sqrt(D). Rounding: an angle of some turns,
// and one product.
func TestAdaptiveIsFourier(t *testing.T) {
	const d, D, sigma = 3, 20, 1.7
	a := newAdaptive(t, d, D, 1)
	a.SetBandwidth(sigma)
	f, err := NewFourier(spectrum.Gaussian{Sigma: sigma}, d, D, random.Block(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	x, c := []float64{.3, -1.2, 2.5}, make([]float64, 2*D)
	for i := range c {
		c[i] = math.Sin(float64(i))
	}
	phi, want := make([]float64, a.Len()), make([]float64, f.Len())
	a.FeaturesTo(phi, x)
	f.FeaturesTo(want, x)
	for i, v := range want {
		if !(math.Abs(phi[i]-math.Sqrt(D)*v) <= 1e-13) {
			t.Fatalf("feature %d is %g, want %g", i, phi[i], math.Sqrt(D)*v)
		}
	}
	g, h := make([]float64, d), make([]float64, d)
	a.GradientTo(g, phi, c)
	f.GradientTo(h, x, want, c)
	for i, v := range h {
		if !(math.Abs(g[i]-math.Sqrt(D)*v) <= 1e-11) {
			t.Errorf("the gradient in x_%d is %g, want %g", i, g[i], math.Sqrt(D)*v)
		}
	}
}

// Observe computes the median distance of its first inputs. Before, all features are 0. A restored checkpoint continues
// with the same bits.
func TestAdaptiveFindsItsBandwidth(t *testing.T) {
	const d, factor = 2, .5
	a := newAdaptive(t, d, 10, factor)
	points := distance.NewSample(d, adaptiveSample)
	phi, x := make([]float64, a.Len()), make([]float64, d)
	r := random.New(5)
	for i := range adaptiveSample {
		a.FeaturesTo(phi, x)
		for _, v := range phi {
			if v != 0 {
				t.Fatalf("a feature of %g after %d inputs", v, i)
			}
		}
		if i == adaptiveSample/2 {
			e := snapshot.NewEncoder(nil)
			a.State(e)
			a = newAdaptive(t, d, 10, factor)
			c := snapshot.NewDecoder(e.Bytes())
			a.State(c)
			if err := c.Finish(); err != nil {
				t.Fatal(err)
			}
		}
		r.NormalsTo(x)
		a.Observe(x)
		points.Add(x)
	}
	if want := factor * points.Median(); a.Bandwidth() != want {
		t.Errorf("bandwidth %g, want %g", a.Bandwidth(), want)
	}
	a.Observe(x)
	if a.FeaturesTo(phi, x); phi[0] == 0 {
		t.Error("no features although the bandwidth is known")
	}
}

// An additive map has frequencies along the axes: the second difference of a feature in two coordinates is 0. All
// frequencies have the same variance, scaled along the axis to the bandwidth of a single coordinate.
func TestAlignAxes(t *testing.T) {
	const d, D = 3, 7
	a, full := newAdaptive(t, d, D, 1), newAdaptive(t, d, D, 1)
	a.AlignAxes()
	w, dense := a.TakeTurns(), full.TakeTurns()
	for k := range D {
		for i := range d {
			v := w[i*D+k]
			if i != k%d && v != 0 {
				t.Errorf("frequency %d uses coordinate %d", k, i)
			}
			if want := dense[i*D+k] * math.Sqrt(d) * 1.482602218505602; i == k%d && !(math.Abs(v-want) <= 1e-12) {
				t.Errorf("frequency %d along its axis is %g, want %g", k, v, want)
			}
		}
	}
}

func TestAdaptiveCopyHasABandwidthOfItsOwn(t *testing.T) {
	a := newAdaptive(t, 1, 4, 1)
	a.SetBandwidth(1)
	c := a.Copy()
	c.SetBandwidth(2)
	phi, scaled := make([]float64, 8), make([]float64, 8)
	a.FeaturesTo(phi, []float64{.4})
	c.FeaturesTo(scaled, []float64{.8})
	for i := range phi {
		if phi[i] != scaled[i] {
			t.Errorf("feature %d: %g and %g", i, phi[i], scaled[i])
		}
	}
	if a.Bandwidth() != 1 {
		t.Errorf("the bandwidth of the original is %g", a.Bandwidth())
	}
}

func TestAdaptiveRefusesWithTheReason(t *testing.T) {
	for _, factor := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if _, err := NewAdaptive(1, 1, factor, random.New(1)); err == nil {
			t.Errorf("factor %g", factor)
		}
	}
	if _, err := NewAdaptive(0, 1, 1, random.New(1)); err == nil {
		t.Error("no inputs")
	}
}
