package losses_test

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/sgd/internal/fixture"

	"github.com/orffvar/forecaster/sgd/losses"
)

func TestLossValues(t *testing.T) {
	for _, c := range []struct {
		loss        losses.Loss
		f, y        float64
		value, slop float64
	}{
		{losses.Squared{}, 3, 1, 2, 2},
		{fixture.Must(losses.NewHuber(1)), 3, 1, 1.5, 1},
		{fixture.Must(losses.NewHuber(1)), .5, 1, .125, -.5},
		{fixture.Must(losses.NewPinball(.25)), 0, 4, 1, -.25},
		{fixture.Must(losses.NewPinball(.25)), 4, 0, 3, .75},
		{fixture.Must(losses.NewPinball(.25)), 4, 4, 0, 0},
		{fixture.Must(losses.NewInsensitive(.5)), 1, 3, 1.5, -1},
		{fixture.Must(losses.NewInsensitive(.5)), 1, 1.2, 0, 0},
	} {
		fixture.Near(t, "value", []float64{c.loss.Value(c.f, c.y)}, []float64{c.value}, 1e-15)
		fixture.Near(t, "slope", []float64{c.loss.Slope(c.f, c.y)}, []float64{c.slop}, 1e-15)
	}
}

// A Moreau envelope is a parabola within its width of the kink, and the loss minus a constant beyond.
func TestEnvelopeValues(t *testing.T) {
	quarter := func(r, width float64) (value, slope float64) { return losses.PinballEnvelope(.25, r, width) }
	for _, c := range []struct {
		envelope               func(r, width float64) (value, slope float64)
		r, width, value, slope float64
	}{
		{losses.HingeEnvelope, -1, .5, 0, 0}, {losses.HingeEnvelope, 0, 0, 0, 0}, {losses.HingeEnvelope, .25, .5, .0625, .5},
		{losses.HingeEnvelope, .5, .5, .25, 1}, {losses.HingeEnvelope, 1, .5, .75, 1}, {losses.HingeEnvelope, .5, 0, .5, 1},
		{quarter, 1, 1, .21875, -.25}, {quarter, .125, 1, .0078125, -.125}, {quarter, 0, 0, 0, 0},
		{quarter, -.5, 1, .125, .5}, {quarter, -2, 1, 1.21875, .75}, {quarter, -2, 0, 1.5, .75},
	} {
		if value, slope := c.envelope(c.r, c.width); value != c.value || slope != c.slope {
			t.Errorf("at %v with width %v: %v and slope %v, want %v and %v", c.r, c.width, value, slope, c.value, c.slope)
		}
	}
}

// A slope g of a convex loss satisfies L(f') >= L(f) + g (f' - f) for all f'.
func TestSlopesAreSubgradients(t *testing.T) {
	r := &fixture.Source{S: 1}
	for name, l := range fixture.Losses() {
		for range 2000 {
			f, y, other := r.Normal(), r.Normal(), 2*r.Normal()
			if !(l.Value(other, y) >= l.Value(f, y)+l.Slope(f, y)*(other-f)-1e-12) {
				t.Fatalf("%s: no subgradient at f = %g, y = %g", name, f, y)
			}
		}
	}
}

func TestMissingTargetsHaveNoLoss(t *testing.T) {
	f, y := []float64{1, 2, 3}, []float64{0, math.NaN(), 5}
	for name, l := range fixture.Losses() {
		known := l.Value(1, 0) + l.Value(3, 5)
		fixture.Near(t, name, []float64{losses.Sum(l, f, y)}, []float64{known}, 0)
		e := []float64{9, 9, 9}
		losses.GradientTo(e, l, f, y)
		fixture.Near(t, name, e, []float64{l.Slope(1, 0), 0, l.Slope(3, 5)}, 0)
	}
}

// C7.1: Pinball loss ρ_τ(r) = max(τr, (τ−1)r), r = y − f: the minimiser over constants is the
// τ-quantile. Printed with r = f − y, it is the (1−τ)-quantile.
//
// The minimiser over constants of the pinball loss of a sample is its quantile.
func TestC7_1_PinballMinimiserIsQuantile(t *testing.T) {
	l := fixture.Must(losses.NewPinball(.25))
	y := []float64{1, 2, 3, 4, 10}
	best, at := math.Inf(1), 0.0
	for i := range 1201 {
		f := float64(i) / 100
		var mean float64
		for _, v := range y {
			mean += l.Value(f, v) / 5
		}
		if mean < best-1e-12 {
			best, at = mean, f
		}
	}
	fixture.Near(t, "argmin and minimum", []float64{at, best}, []float64{2, .7}, 1e-12)

	// The integral of rho_tau(r) over tau is |r|/2: midpoints are exact for a
	// function linear in tau.
	for _, r := range []float64{-3, .5} {
		var sum float64
		for i := range 100 {
			sum += fixture.Must(losses.NewPinball((float64(i)+.5)/100)).Value(0, r) / 100
		}
		fixture.Near(t, "integral", []float64{sum}, []float64{math.Abs(r) / 2}, 1e-13)
	}
}

func TestLossesRefuse(t *testing.T) {
	for _, v := range []float64{0, -1, math.NaN()} {
		if _, err := losses.NewHuber(v); err == nil {
			t.Errorf("NewHuber accepts %g", v)
		}
		if _, err := losses.NewPinball(v); err == nil {
			t.Errorf("NewPinball accepts %g", v)
		}
	}
	if _, err := losses.NewPinball(1); err == nil {
		t.Error("NewPinball accepts 1")
	}
	for _, v := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := losses.NewInsensitive(v); err == nil {
			t.Errorf("NewInsensitive accepts %g", v)
		}
	}
}
