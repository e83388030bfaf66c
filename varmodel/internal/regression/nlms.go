package regression

import (
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/series"
)

// NLMSDesign is a lagDesign for sgd.FourierNLMS, which contains the feature map. Instead of
// random features it has the scaled lags, then an indicator: 0 until the bandwidth is known,
// then 1.
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

// nlmsLearner is the learner of an nlmsDesign.
type nlmsLearner struct {
	model *online.FourierNLMS
	first int       // given features before the scaled lags
	given []float64 // scratch: all given features
	n     int       // scaled lags

	// The last prediction, until the weights change: a series asks for it twice, to
	// forecast and to learn.
	phi, y []float64
	known  bool
}

// NewNLMSLearner takes the frequencies of g. behind is the number of features
// behind the features of the design.
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

// Update follows a PredictTo of the same phi.
func (l *nlmsLearner) Update(_, e []float64) {
	l.model.Update(e)
	l.known = false
}

func (l *nlmsLearner) State(c *snapshot.Codec) {
	l.model.State(c)
	l.known = false
}
