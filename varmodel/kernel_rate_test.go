package varmodel

import "testing"

// A Newton step moves a block by the weight that its mini-batch has in the curvature of the
// block: at first that of one batch more than there were, then 1 - forgetting. So the memory
// of the weights is that of the curvature, however many blocks take turns.
func TestNewtonStepsForgetAsTheirCurvature(t *testing.T) {
	for _, forgetting := range []float64{.5, .9, .995} {
		for _, blocks := range []int{1, 3} {
			r := newtonRate{blocks, forgetting}
			for step := 1; step <= 3000*blocks; step++ {
				visits := (step + blocks - 1) / blocks // of this block, with this one
				want := 1 / float64(visits+1)
				if want < 1-forgetting {
					want = 1 - forgetting
				}
				if got := r.Rate(step); got != want {
					t.Fatalf("forgetting %g, %d blocks, step %d: rate %v, want %v", forgetting, blocks, step, got, want)
				}
			}
		}
	}
}
