package regression

import (
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/series"
)

// NLMSDesign is a LagDesign for online.FourierNLMS, which contains the feature map. Instead of random features it has
// the scaled lags, then an indicator: 0 until the bandwidth is known, then 1.
type NLMSDesign struct{ *LagDesign }

func (g NLMSDesign) Features() int { return g.linearFeatures() + len(g.Lags) + 1 }

func (g NLMSDesign) FeaturesTo(phi []float64, s *series.Scaler, past *series.History) {
	n := g.linearFeatures()
	linear := LagDesign{dim: g.dim, order: g.order, linear: g.linear, Lags: g.Lags}
	linear.FeaturesTo(phi[:n], s, past)
	phi = phi[n:]
	sigma := g.random.Bandwidth()
	if sigma == 0 {
		clear(phi)
		return
	}
	for i, v := range g.Lags {
		phi[i] = v / sigma
	}
	phi[len(g.Lags)] = 1
}

// nlmsLearner is the learner for an NLMSDesign.
type nlmsLearner struct {
	model *online.FourierNLMS
	first int       // number of given features before the scaled lags
	given []float64 // scratch: all given features
	n     int       // number of scaled lags

	// Input and output of the last prediction, valid until the weights change. A series uses a prediction twice, to
	// forecast and to learn.
	phi, y []float64
	known  bool
}

// NewNLMSLearner returns a learner with the frequencies of g. behind is the number of features after the features of the
// design. step is in (0, 2).
func NewNLMSLearner(g NLMSDesign, behind, outputs int, step float64) (*nlmsLearner, error) {
	n := g.linearFeatures()
	cfg := online.FourierNLMSConfig{Inputs: len(g.Lags), Frequencies: g.random.TakeTurns(), Given: n + behind, Outputs: outputs, Step: step}
	l := &nlmsLearner{
		first: n, n: cfg.Inputs,
		given: make([]float64, cfg.Given),
		phi:   make([]float64, g.Features()+behind),
		y:     make([]float64, outputs),
	}
	var err error
	l.model, err = online.NewFourierNLMS(cfg)
	return l, err
}

func (l *nlmsLearner) PredictTo(y, phi []float64) {
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

// Update learns the errors e of the last prediction. Call PredictTo with the same phi first.
func (l *nlmsLearner) Update(_, e []float64) {
	l.model.Update(e)
	l.known = false
}

func (l *nlmsLearner) State(c *snapshot.Codec) {
	l.model.State(c)
	l.known = false
}
