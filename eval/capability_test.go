package eval

import (
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// outer is a Forecaster around another one.
type outer struct{ Forecaster }

func (o outer) Unwrap() Forecaster { return o.Forecaster }

// resetter counts its calls.
type resetter struct {
	outer
	calls *int
}

func (r resetter) ResetLags() { *r.calls++ }

// forgetful is a Forecaster without any other ability.
type forgetful struct{}

func (forgetful) Observe([]float64) error   { return nil }
func (forgetful) ForecastTo([]float64) bool { return false }
func (forgetful) State(*snapshot.Codec)     {}

func TestAsFindsTheNearest(t *testing.T) {
	var near, far int
	plain := forgetful{}
	if _, ok := As[LagResetter](plain); ok {
		t.Error("a model without lags has lags")
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
