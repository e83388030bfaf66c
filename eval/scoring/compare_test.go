package scoring

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Eight differences worked out by hand: the mean is 1, the deviations are
// 1, 1, -1, -1, 1, 1, -1, -1, the lag is 4 (8/100)^(2/9) = 2, so that the
// autocovariance sums are 8, 1 and -6 with the weights 1, 2/3 and 1/3.
func TestCompareClosedForm(t *testing.T) {
	a := []float64{2, 2, 0, 0, 2, 2, 0, 0}
	c, err := Compare(a, make([]float64, 8), 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", c.Mean, 1, 0)
	variance := (8 + 2*(2./3*1+1./3*-6)) / 64
	dm := 1 / math.Sqrt(variance) * math.Sqrt((8.+1-2)/8)
	near(t, "DM", c.DM, dm, 1e-14)

	// The t distribution with N-1 = 7 degrees of freedom is elementary:
	// Abramowitz and Stegun 26.7.3.
	theta := math.Atan(dm / math.Sqrt(7))
	cos := math.Cos(theta)
	inside := 2 / math.Pi * (theta + math.Sin(theta)*(cos+2./3*math.Pow(cos, 3)+8./15*math.Pow(cos, 5)))
	near(t, "P", c.P, 1-inside, 1e-12)
	near(t, "SE", c.SE, c.Mean/dm, 1e-14)
	near(t, "SE of the losses", standardErrorOf(a, 1), c.SE, 1e-14)

	// The t quantile of .975 with 7 degrees of freedom is 2.364624 (tables).
	near(t, "half the interval", (c.Upper-c.Lower)/2, 2.364624251*c.SE, 1e-8)
}

// TestIntervalAndPAgree: an interval of level 1 - p ends at 0, for any losses.
func TestIntervalAndPAgree(t *testing.T) {
	for seed := range uint64(50) {
		a, b := overlapping(60, 3, seed), overlapping(60, 3, seed+100)
		c, err := Compare(a, b, 3)
		if err != nil {
			t.Fatal(err)
		}
		c, err = compare(a, b, 3, 1-c.P)
		if err != nil {
			t.Fatal(err)
		}
		if end := min(math.Abs(c.Lower), math.Abs(c.Upper)); !(end <= 1e-9) {
			t.Errorf("p = %v, but the interval of level %v is [%v, %v]", c.P, 1-c.P, c.Lower, c.Upper)
		}
	}
}

// The standard error of dependent losses: of h-step sums of N(0, 1) the mean has the
// variance h^2/N, about.
func TestStandardError(t *testing.T) {
	sum := 0.
	for seed := range uint64(200) {
		sum += standardErrorOf(overlapping(500, 3, seed), 3)
	}
	near(t, "mean standard error", sum/200/(3/math.Sqrt(500)), 1, .1)
	if v := standardErrorOf([]float64{1, 2, 3, math.NaN(), 4, 5, 6, 7}, 1); !math.IsNaN(v) {
		t.Errorf("%v from seven losses", v)
	}
}

// Horizon 3: the lag is h-1 = 2 as well, the factor is that of Harvey et al.
func TestCompareHarveyFactor(t *testing.T) {
	near(t, "factor", harvey(8, 3), math.Sqrt((8.+1-6+6./8)/8), 1e-15)
	near(t, "factor", harvey(100, 1), math.Sqrt(.99), 1e-15)
}

func TestCompareIgnoresUnscored(t *testing.T) {
	nan := math.NaN()
	a := []float64{nan, 2, 2, 0, 0, nan, 2, 2, 0, 0}
	b := []float64{0, 0, 0, 0, 0, 7, 0, 0, 0, 0}
	c, err := Compare(a, b, 1)
	if err != nil || c.N != 8 || c.Mean != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if se, want := standardErrorOf(a, 1), standardErrorOf([]float64{2, 2, 0, 0, 2, 2, 0, 0}, 1); se != want {
		t.Errorf("standard error %v, without the NaN %v", se, want)
	}
	if _, err := Compare(a[:8], b[:8], 1); err == nil || !math.IsNaN(standardErrorOf(a[:8], 1)) {
		t.Error("six targets were enough")
	}
}

// A model against itself is no different.
func TestCompareEqualLosses(t *testing.T) {
	a := overlapping(50, 1, 1)
	c, err := Compare(a, a, 1)
	if want := (Comparison{N: 50, P: 1}); err != nil || c != want {
		t.Errorf("%+v, %v, want %+v", c, err, want)
	}
}

func TestCompareIsAntisymmetric(t *testing.T) {
	a, b := overlapping(300, 3, 1), overlapping(300, 3, 2)
	x, _ := Compare(a, b, 3)
	y, _ := Compare(b, a, 3)
	if x.Mean != -y.Mean || x.DM != -y.DM || x.P != y.P || x.Lower != -y.Upper {
		t.Errorf("%+v and %+v", x, y)
	}
	if !(x.Lower < x.Mean && x.Mean < x.Upper) {
		t.Errorf("interval [%v, %v] of %v", x.Lower, x.Upper, x.Mean)
	}
}

// overlapping is the sum of h successive independent N(0, 1): as correlated as
// the losses of h-step forecasts.
func overlapping(n, h int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 5))
	u := make([]float64, n+h-1)
	for i := range u {
		u[i] = r.NormFloat64()
	}
	v := make([]float64, n)
	for i := range v {
		for k := range h {
			v[i] += u[i+k]
		}
	}
	return v
}

// Between equals, a test of level 5 % rejects in about 5 % of the cases. In 1000 cases the
// standard error is .7 %; the test is known to reject somewhat too often with
// autocorrelation, so up to 9 % are accepted (ignoring it gives a quarter).
func TestCompareHasItsSize(t *testing.T) {
	const cases = 1000
	rejected := 0
	zero := make([]float64, 200)
	for seed := range uint64(cases) {
		c, err := Compare(overlapping(200, 3, seed), zero, 3)
		if err != nil {
			t.Fatal(err)
		}
		if c.P < .05 {
			rejected++
		}
	}
	t.Logf("rejected %d of %d", rejected, cases)
	if rejected < cases*3/100 || rejected > cases*9/100 {
		t.Errorf("%d of %d equals were told apart", rejected, cases)
	}
}

func TestSummarize(t *testing.T) {
	s := Summarize(1, 2, 6)
	near(t, "mean", s.Mean, 3, 0)
	near(t, "sd", s.SD, math.Sqrt(7), 1e-15)
	if s.N != 3 || s.Min != 1 || s.Max != 6 {
		t.Errorf("%+v", s)
	}
	for _, c := range []struct {
		s    Summary
		want string
	}{
		{s, "3.0 +- 2.6"},
		{Summarize(446, 450, 440), "445.3 +- 5.0"},
		{Summarize(1234567, 1234569), "1234568 +- 1"},
		{Summarize(.00098712), "0.000987120"},
		{Summarize(.000987, .000995), "0.0009910 +- 0.0000057"},
		{Summarize(5), "5.00000"},
		{Summarize(0), "0.00000"},
		{Summarize(), "NaN"},
	} {
		if got := c.s.String(); got != c.want {
			t.Errorf("%v: %q, want %q", c.s.Mean, got, c.want)
		}
	}
}
