package sgd_test

import (
	"testing"

	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/internal/fixture"
)

// A learner that is started with weights predicts with them at once, whatever it and its average had learnt before.
func TestStartReplacesAllWeights(t *testing.T) {
	for name, change := range variants() {
		for _, steps := range []int{0, 1, 7, 32} {
			cfg := variantConfig(change)
			l := fixture.Must(sgd.NewDoublyStochastic(cfg))
			r := &fixture.Source{S: 5}
			for range cfg.Batch * steps {
				l.Learn(masked(r))
			}
			theta := make([]float64, len(cfg.Blocks)*cfg.Blocks[0].Dims().Params)
			for i := range theta {
				theta[i] = r.Uniform()
			}
			l.Start(theta)
			fixture.Same(t, name, weights(l, len(theta)), theta)
			if l.Touched() != len(cfg.Blocks) {
				t.Errorf("%s: %d of %d blocks are in use", name, l.Touched(), len(cfg.Blocks))
			}
		}
	}
}
