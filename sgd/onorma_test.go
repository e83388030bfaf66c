package sgd_test

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/sgd/internal/fixture"

	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/rates"
)

// gaussianGamma is the kernel exp(-||x - z||^2/(2 sigma^2)) Gamma.
type gaussianGamma struct {
	sigma float64
	gamma []float64
}

func (k gaussianGamma) AddProduct(y []float64, alpha float64, x, z, a []float64) {
	var d float64
	for i := range x {
		d += (x[i] - z[i]) * (x[i] - z[i])
	}
	v := alpha * math.Exp(-d/(2*k.sigma*k.sigma))
	for i := range y {
		for j := range a {
			y[i] += v * k.gamma[i*len(a)+j] * a[j]
		}
	}
}

func onorma(terms int, rate rates.Schedule) *sgd.ONORMA {
	return fixture.Must(sgd.NewONORMA(sgd.ONORMAConfig{
		Kernel: gaussianGamma{1, []float64{1, .5, .5, .89}}, In: 2, Out: 2, Lambda: fixture.Lambda, Rate: rate, Terms: terms,
	}))
}

// C5.10: ONORMA (Audiffren and Kadri): α_i ← (1 − ηλ) α_i, α_t = −η (f(x_t) − y_t), truncated to
// the last terms.
func TestC5_10_ONORMA(t *testing.T) {
	predictions := []float64{0, 0, 0.43904771546028065, 0.21952385773014033, 0.19633082331739077, -0.07543939636132752}
	alpha := []float64{0.45125, 0, 0.02895233515636669, -0.5792738324218166, -0.1981654116586954, 0.38771969818066376}
	for _, terms := range []int{99, 2} {
		o := onorma(terms, rates.Constant(.5))
		y := make([]float64, 2)
		for i := range 3 {
			x, target := fixture.Sample(i)
			o.PredictTo(y, x)
			fixture.Near(t, "f_t(x_t)", y, predictions[2*i:2*i+2], fixture.Golden)
			o.Learn(x, target)
		}
		first := max(0, 3-terms)
		i := first
		for k := range o.Terms() {
			x, a, scale := o.Term(k)
			fixture.Near(t, "x", x, fixture.X[2*i:2*i+2], 0)
			fixture.Near(t, "alpha", []float64{scale * a[0], scale * a[1]}, alpha[2*i:2*i+2], fixture.Golden)
			i++
		}
		if i != 3 {
			t.Errorf("%d terms, want %d", i-first, 3-first)
		}
		var lost float64
		if first == 1 {
			lost = .45125
		}
		fixture.Near(t, "dropped", []float64{o.Dropped()}, []float64{lost}, fixture.Golden)
	}
}

// Shrinking for many steps neither underflows nor loses the terms.
func TestONORMALongRun(t *testing.T) {
	o := fixture.Must(sgd.NewONORMA(sgd.ONORMAConfig{
		Kernel: gaussianGamma{.5, []float64{1}}, In: 1, Out: 1, Lambda: .1, Rate: rates.Constant(.5), Terms: 60,
	}))
	r, y := &fixture.Source{S: 1}, make([]float64, 1)
	var late float64
	for i := range 20000 {
		x := []float64{2*r.Uniform() - 1}
		target := math.Sin(3*x[0]) + .1*r.Normal()
		o.PredictTo(y, x)
		if i >= 10000 {
			late += (y[0] - target) * (y[0] - target) / 10000
		}
		o.Learn(x, []float64{target})
	}
	if !(late < .1) { // variance of the target .5, of the noise .01; the ridge of .1 shrinks
		t.Errorf("late error %g", late)
	}
	x := []float64{.5}
	if n := testing.AllocsPerRun(100, func() { o.Learn(x, y); o.PredictTo(y, x) }); n != 0 {
		t.Errorf("%g allocations per step", n)
	}
}

func TestONORMASaveAndRestore(t *testing.T) {
	for _, at := range []int{0, 3, 4, 11} {
		a, b := onorma(4, rates.InverseRoot(.5)), onorma(4, rates.InverseRoot(.5))
		r := &fixture.Source{S: 7}
		for range at {
			a.Learn(masked(r))
		}
		b.Learn(curve(&fixture.Source{S: 2}))
		fixture.Restore(t, a, b)
		y, z := make([]float64, 2), make([]float64, 2)
		for range 8 {
			x, target := masked(r)
			a.PredictTo(y, x)
			b.PredictTo(z, x)
			fixture.Same(t, "prediction", z, y)
			a.Learn(x, target)
			b.Learn(x, target)
		}
		if a.Dropped() != b.Dropped() {
			t.Error("the dropped terms differ")
		}
	}
}

func TestONORMARefuses(t *testing.T) {
	o := onorma(3, rates.InverseRoot(.5))
	nan := math.NaN()
	o.Learn([]float64{nan, 0}, []float64{0, 0})
	o.Learn([]float64{0, 0}, []float64{nan, nan})
	o.Learn([]float64{0, 0}, []float64{math.Inf(1), 0})
	if o.Terms() != 0 {
		t.Errorf("%d terms, want none", o.Terms())
	}
	if o.Refused() != 3 {
		t.Errorf("%d refused, want 3", o.Refused())
	}
	for name, change := range map[string]func(*sgd.ONORMAConfig){
		"kernel":      func(c *sgd.ONORMAConfig) { c.Kernel = nil },
		"rate":        func(c *sgd.ONORMAConfig) { c.Rate = nil },
		"terms":       func(c *sgd.ONORMAConfig) { c.Terms = 0 },
		"lambda":      func(c *sgd.ONORMAConfig) { c.Lambda = nan },
		"rate*lambda": func(c *sgd.ONORMAConfig) { c.Rate = rates.InverseRoot(10) },
	} {
		cfg := sgd.ONORMAConfig{Kernel: gaussianGamma{}, In: 1, Out: 1, Lambda: .1, Rate: rates.InverseRoot(1), Terms: 1}
		change(&cfg)
		if _, err := sgd.NewONORMA(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
