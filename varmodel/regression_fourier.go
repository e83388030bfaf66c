package varmodel

import (
	"slices"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/sgd"
)

// inputDesign is a lagDesign that leaves the random features to a fourierLearner:
// in their place stand the scaled inputs and, behind them, the scale of the
// features: 0 until the bandwidth is known, then 1.
type inputDesign struct{ *lagDesign }

func (g inputDesign) features() int { return g.linearFeatures() + len(g.lags) + 1 }

func (g inputDesign) featuresTo(phi []float64, s *scaler, past *history) {
	n := g.linearFeatures()
	linear := lagDesign{dim: g.dim, order: g.order, linear: g.linear, lags: g.lags}
	linear.featuresTo(phi[:n], s, past)
	phi = phi[n:]
	sigma := g.random.sigma
	if sigma == 0 {
		clear(phi)
		return
	}
	for i, v := range g.lags {
		phi[i] = v / sigma
	}
	phi[len(g.lags)] = 1
}

// fourierLearner is the learner of an inputDesign.
type fourierLearner struct {
	model *sgd.FourierNLMS
	first int       // given features before the inputs
	given []float64 // scratch: those before and those behind
	n     int       // inputs

	// The last prediction, until the weights change: the series asks for it twice,
	// to forecast and to learn.
	phi, y []float64
	known  bool
}

// newFourierLearner takes the frequencies of g, which then has none. behind is
// the number of features that follow those of the design.
func newFourierLearner(g inputDesign, behind, outputs int, step float64) (*fourierLearner, error) {
	n := g.linearFeatures()
	cfg := sgd.FourierNLMSConfig{Inputs: len(g.lags), Frequencies: g.random.w, Given: n + behind, Outputs: outputs, Step: step}
	l := &fourierLearner{
		first: n, n: cfg.Inputs,
		given: make([]float64, cfg.Given),
		phi:   make([]float64, g.features()+behind),
		y:     make([]float64, outputs),
	}
	var err error
	l.model, err = sgd.NewFourierNLMS(cfg)
	g.random.w = nil
	return l, err
}

func (l *fourierLearner) PredictTo(y, phi []float64) {
	if !l.known || !slices.Equal(phi, l.phi) {
		copy(l.phi, phi)
		x := phi[l.first : l.first+l.n]
		copy(l.given, phi[:l.first])
		copy(l.given[l.first:], phi[l.first+l.n+1:])
		if phi[l.first+l.n] == 0 {
			x = nil
		}
		l.model.PredictTo(l.y, l.given, x)
		l.known = true
	}
	copy(y, l.y)
}

// Update follows a PredictTo of the same phi.
func (l *fourierLearner) Update(_, e []float64) {
	l.model.Update(e)
	l.known = false
}

func (l *fourierLearner) State(c *snapshot.Codec) {
	l.model.State(c)
	l.known = false
}
