package eval

import "testing"

// outer is a Forecaster around another one.
type outer struct{ Forecaster }

func (o outer) Unwrap() Forecaster { return o.Forecaster }

// resetter counts its calls.
type resetter struct {
	outer
	calls *int
}

func (r resetter) ResetLags() { *r.calls++ }

func TestAsFindsTheNearest(t *testing.T) {
	var near, far int
	plain := persistenceModel{1}.NewSeries()
	if _, ok := As[LagResetter](plain); ok {
		t.Error("persistence has lags")
	}
	if _, ok := As[LagResetter](outer{outer{plain}}); ok {
		t.Error("a wrapper can what nothing inside it can")
	}
	f := outer{resetter{outer{resetter{outer{plain}, &far}}, &near}}
	r, ok := As[LagResetter](f)
	if !ok {
		t.Fatal("not found through the outermost wrapper")
	}
	r.ResetLags()
	if near != 1 || far != 0 {
		t.Errorf("the nearer one was called %d times, the farther one %d times", near, far)
	}
	if _, ok := As[LagResetter](nil); ok {
		t.Error("no forecaster, and yet a capability")
	}
	if _, ok := As[LagResetter](outer{nil}); ok {
		t.Error("a wrapper around nothing has a capability")
	}
}
