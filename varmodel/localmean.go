package varmodel

import "github.com/orffvar/forecaster/internal/snapshot"

// localMeanRate is the weight of the last sample in a local mean: a memory of
// fifty samples.
const localMeanRate = 0.02

// localMean follows the level of a series: an exponentially weighted mean, and
// the standard deviation of the samples around it.
type localMean struct {
	count, mean, variance []float64

	sd            []float64 // square root of variance; 0 for a constant coordinate
	unit, inverse []float64 // sd and 1/sd; 1 and 0 for a constant coordinate
}

func newLocalMean(dim int) *localMean {
	v := make([]float64, 6*dim)
	part := func(i int) []float64 { return v[i*dim : (i+1)*dim : (i+1)*dim] }
	m := &localMean{count: part(0), mean: part(1), variance: part(2), sd: part(3), unit: part(4), inverse: part(5)}
	m.derive()
	return m
}

// observe takes the sample y; where observed is false the mean stays.
func (m *localMean) observe(y []float64, observed []bool) {
	n := len(y)
	counts, means, variances := m.count[:n], m.mean[:n], m.variance[:n]
	sd, unit, inverse := m.sd[:n], m.unit[:n], m.inverse[:n]
	observed = observed[:n]
	for j, v := range y {
		if !observed[j] {
			continue
		}
		count := counts[j]
		counts[j] = count + 1
		if count == 0 {
			means[j] = v
			continue
		}
		mean, variance := means[j], variances[j]
		dev := v - mean
		mean += falling(count+1, localMeanRate) * dev
		dev = winsorise(dev, sd[j], count)
		variance += falling(count, 1-statsForgetting) * (dev*dev - variance)
		means[j], variances[j] = mean, variance
		sd[j] = scaleOf(variance, mean)
		unit[j], inverse[j] = inverted(sd[j], 0)
	}
}

// derive sets what follows from sd.
func (m *localMean) derive() {
	for j, sd := range m.sd {
		m.unit[j], m.inverse[j] = inverted(sd, 0)
	}
}

// falling returns the weight of sample n in a mean: 1/n, but not below the last
// rate.
func falling(n, last float64) float64 {
	if n*last >= 1 {
		return last
	}
	return 1 / n
}

// standardised returns (v - mean)/sd, limited; 0 for a constant coordinate.
func (m *localMean) standardised(j int, v float64) float64 {
	return clip((v-m.mean[j])*m.inverse[j], inputLimit)
}

// levelsTo writes the standardised lags z_t, z_{t-1}, …, order x dim.
func (m *localMean) levelsTo(dst []float64, past *history, order int) {
	standardisedTo(dst, m.mean, m.inverse, past, order)
}

// restartAs begins the mean again at y with the scale of o.
func (m *localMean) restartAs(o *localMean, y []float64) {
	copy(m.variance, o.variance)
	copy(m.sd, o.sd)
	copy(m.unit, o.unit)
	copy(m.inverse, o.inverse)
	m.restart(y)
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
	if c.Decoding() {
		m.derive()
	}
}

// follow moves the mean and leaves the scale, for going through the past again.
func (m *localMean) follow(y []float64, observed []bool) {
	for j, v := range y {
		if observed[j] {
			m.count[j]++
			m.mean[j] += falling(m.count[j], localMeanRate) * (v - m.mean[j])
		}
	}
}
