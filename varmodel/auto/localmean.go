package auto

import (
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/series"
)

// localMeanRate is the weight of the last sample in a local mean. The mean covers about 1 / localMeanRate = 50 samples.
const localMeanRate = 0.02

// localMean holds an exponentially weighted mean of a series, and the standard deviation of the samples around this
// mean.
type localMean struct {
	*lanes.LocalMean

	// Vectors of lanes.LocalMean, cut to length dim.
	count, mean, variance []float64
	sd                    []float64 // square root of variance; 0 for a constant coordinate
	unit, inverse         []float64 // sd and 1/sd; 1 and 0 for a constant coordinate
}

func newLocalMean(dim int) *localMean {
	l := lanes.NewLocalMean(dim, localMeanRate, 1-series.StatsForgetting, series.WinsorAfter, series.WinsorLimit, series.Degenerate)
	return &localMean{
		LocalMean: l,
		count:     l.Count[:dim], mean: l.Mean[:dim], variance: l.Variance[:dim],
		sd: l.SD[:dim], unit: l.Unit[:dim], inverse: l.Inverse[:dim],
	}
}

// Standardised returns (v - mean) / sd, clipped to ±series.InputLimit; 0 for a constant coordinate.
func (m *localMean) Standardised(j int, v float64) float64 {
	return lanes.Clip((v-m.mean[j])*m.inverse[j], series.InputLimit)
}

// lagsTo writes the standardised lags z_t, z_{t-1}, …, order x dim.
func (m *localMean) lagsTo(dst []float64, past *series.History, order int) {
	series.StandardisedTo(dst, m.mean, m.inverse, past, order)
}

// restartAs restarts the mean at y, with the standard deviation of o.
func (m *localMean) restartAs(o *localMean, y []float64) {
	copy(m.variance, o.variance)
	copy(m.sd, o.sd)
	copy(m.unit, o.unit)
	copy(m.inverse, o.inverse)
	m.restart(y)
}

// restart restarts the mean at y. The standard deviation stays.
func (m *localMean) restart(y []float64) {
	copy(m.mean, y)
	for j := range m.count {
		m.count[j] = 1
	}
}

func (m *localMean) State(c *snapshot.Codec) {
	c.Section("localmean")
	for _, v := range [][]float64{m.count, m.mean, m.variance, m.sd} {
		c.Float64s(v)
	}
	if c.Decoding() {
		m.Derive()
	}
}

// update adds the observed coordinates of the sample y to the mean. The standard deviation stays.
func (m *localMean) update(y []float64, observed []bool) {
	for j, v := range y {
		if observed[j] {
			m.count[j]++
			m.mean[j] += lanes.Weight(m.count[j], localMeanRate) * (v - m.mean[j])
		}
	}
}
