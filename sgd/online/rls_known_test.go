package online

import (
	"math"
	"testing"
)

// A sample whose leverage h is above the limit L has the weight L/h: with one feature phi and
// the ridge lambda, h = phi^2/lambda, and the minimum of (L/h)(y - theta phi)^2 + lambda theta^2
// is theta = y phi w/(lambda + w phi^2) with w = min(1, L/h).
func TestLeverageLimitIsAWeight(t *testing.T) {
	const lambda, y = 2., 3.
	for _, limit := range []float64{.5, 1, 4} {
		for _, phi := range []float64{.1, 1, 4, 50} {
			r := newRLS(t, RLSConfig{Features: 1, Outputs: 1, Ridge: lambda, Forgetting: 1, MaxLeverage: limit})
			learnPair(r, []float64{phi}, []float64{y})
			w := min(1, limit/(phi*phi/lambda))
			want := y * phi * w / (lambda + w*phi*phi)
			if got := r.Weights()[0]; !(math.Abs(got-want) <= 1e-15*math.Abs(want)*4) { // a few roundings
				t.Errorf("limit %g, phi %g: weight %v, want %v", limit, phi, got, want)
			}
		}
	}
	// With forgetting, the ridge counts for beta of itself when the sample comes, and then leaks back.
	const beta, phi = .5, 10.
	r := newRLS(t, RLSConfig{Features: 1, Outputs: 1, Ridge: lambda, Forgetting: beta, MaxLeverage: 1})
	w, every := 1/(phi*phi/lambda), float64(r.every)
	learnPair(r, []float64{phi}, []float64{y})
	leak := (1 - beta) * every * lambda
	want := y * phi * w / (beta*lambda + w*phi*phi + leak)
	if got := r.Weights()[0]; !(math.Abs(got-want) <= 1e-14*want) {
		t.Errorf("with forgetting: weight %v, want %v", got, want)
	}
}

// A feature that is never excited keeps the precision of the ridge: what forgetting takes from
// it in a round of leaks is put back at its end. A round here is a tenth of the memory.
func TestLeakKeepsTheRidge(t *testing.T) {
	for _, beta := range []float64{.99, .999, .9999} {
		const m, ridge = 4, 3.
		r := newRLS(t, RLSConfig{Features: m, Outputs: 1, Ridge: ridge, Forgetting: beta})
		if beta == .9999 && r.every < 2 {
			t.Fatal("a leak at each step: nothing to test")
		}
		for i := range int(30 / (1 - beta)) {
			r.Update([]float64{1 + float64(i%3), 0, 0, 0}, []float64{1})
		}
		for j := 1; j < m; j++ {
			if precision := 1 / r.p.ProjectUnit(r.gain, j); !(precision > .85*ridge && precision < 1.15*ridge) {
				t.Errorf("forgetting %g: the precision of feature %d is %.3g, the ridge %g", beta, j, precision, ridge)
			}
		}
	}
}
