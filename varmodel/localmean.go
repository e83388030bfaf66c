package varmodel

import "github.com/orffvar/forecaster/internal/snapshot"

// localMeanRate is the weight of the last sample in a local mean: a memory of
// fifty samples.
const localMeanRate = 0.02

// localMean follows the level of a series: an exponentially weighted mean, and
// the standard deviation of the samples around it.
type localMean struct {
	count, mean, variance []float64
	sd                    []float64 // square root of variance; 0 for a constant coordinate
}

func newLocalMean(dim int) *localMean {
	v := make([]float64, 4*dim)
	part := func(i int) []float64 { return v[i*dim : (i+1)*dim : (i+1)*dim] }
	return &localMean{count: part(0), mean: part(1), variance: part(2), sd: part(3)}
}

// observe takes the sample y; where observed is false the mean stays.
func (m *localMean) observe(y []float64, observed []bool) {
	for j, v := range y {
		if !observed[j] {
			continue
		}
		if m.count[j]++; m.count[j] == 1 {
			m.mean[j] = v
			continue
		}
		dev := v - m.mean[j]
		m.mean[j] += max(localMeanRate, 1/m.count[j]) * dev
		n := m.count[j] - 1
		dev = winsorise(dev, m.sd[j], n)
		m.variance[j] += max(1-statsForgetting, 1/n) * (dev*dev - m.variance[j])
		m.sd[j] = scaleOf(m.variance[j], m.mean[j])
	}
}

// standardised returns (v - mean)/sd, limited; 0 for a constant coordinate.
func (m *localMean) standardised(j int, v float64) float64 {
	if m.sd[j] == 0 {
		return 0
	}
	return clip((v-m.mean[j])/m.sd[j], inputLimit)
}

// restart begins the mean again at y and keeps the scale.
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
}

// follow moves the mean and leaves the scale, for going through the past again.
func (m *localMean) follow(y []float64, observed []bool) {
	for j, v := range y {
		if observed[j] {
			m.count[j]++
			m.mean[j] += max(localMeanRate, 1/m.count[j]) * (v - m.mean[j])
		}
	}
}
