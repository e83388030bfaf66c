package lanes

import "math"

// Moments has exponentially weighted means and variances of n variables, the mean squares of their increments, and their
// ranges. With the sample x_t, the total weight w and the forgetting factor f,
//
//	w_t = f w_{t-1} + 1
//	e   = clip(x_t - mean_{t-1}, winsor SD_{t-1})
//	mean_t     = mean_{t-1} + e/w_t
//	variance_t = variance_{t-1} + (e^2 (1 - 1/w_t) - variance_{t-1})/w_t
//
// (West 1979, weighted as in Finch 2009). The mean square of the increments x_t - x_{t-1} has its own total weight, and
// no mean is subtracted. Clipping begins at the total weight after: one outlier cannot distort a scale for long. If SD
// is at most degenerate |mean|, it is rounding, and the variable is constant.
type Moments struct {
	Last                   []float64 // last sample; NaN: missing
	Weight, Mean, Variance []float64
	DiffWeight, Diff2      []float64 // total weight and mean square of the increments
	Low, High              []float64 // smallest and largest value

	// Fields that Derive and Add compute from those above.
	SD, RMS        []float64 // roots of Variance and Diff2; 0 for a constant
	Unit, Inverse  []float64 // SD and 1/SD; 1 and 0 for a constant
	Steps, PerStep []float64 // RMS and 1/RMS; 1 and 0 for a constant
	Floor, Ceiling []float64 // Low - wide RMS and High + wide RMS

	floorAhead, ceilingAhead []float64 // scratch of Bound; nil before the first call with a move

	all    []float64
	n      int
	limits [momLimits]float64
}

// NewMoments returns statistics without samples. The parameters are those of the formulas of Moments.
func NewMoments(n int, forgetting, after, winsor, degenerate, wide float64) *Moments {
	m := &Moments{
		n: n, limits: [momLimits]float64{
			momOne: 1, momForgetting: forgetting, momAfter: after, momWinsor: winsor,
			momDegenerate: degenerate, momWide: wide,
		},
	}
	m.all = statistics(n, m.fields())
	m.Break()
	m.Derive()
	return m
}

// Add learns the sample x.
func (m *Moments) Add(x []float64) {
	if len(x) != m.n {
		panic("lanes: Moments.Add: lengths differ")
	}
	moments(m, x)
}

// Break drops the last sample: the next sample has no increment.
func (m *Moments) Break() {
	for j := range m.Last {
		m.Last[j] = math.NaN()
	}
}

// Derive recomputes the fields from Unit to Ceiling from SD, RMS, Low and High.
func (m *Moments) Derive() {
	for j := range m.n {
		m.derive(j)
	}
}

func (m *Moments) derive(j int) {
	m.Unit[j], m.Inverse[j], m.Steps[j], m.PerStep[j] = 1, 0, 1, 0
	if sd := m.SD[j]; sd != 0 {
		m.Unit[j], m.Inverse[j] = sd, 1/sd
	}
	if rms := m.RMS[j]; rms != 0 {
		m.Steps[j], m.PerStep[j] = rms, 1/rms
	}
	wide := float64(m.limits[momWide] * m.RMS[j])
	m.Floor[j], m.Ceiling[j] = m.Low[j]-wide, m.High[j]+wide
}

func momentsPortable(m *Moments, x []float64) {
	forgetting, after, winsor, degenerate := m.limits[momForgetting], m.limits[momAfter], m.limits[momWinsor], m.limits[momDegenerate]
	winsorised := func(dev, scale, weight float64) float64 {
		if weight > after && scale > 0 {
			return Clip(dev, winsor*scale)
		}
		return dev
	}
	for j, v := range x {
		diff := v - m.Last[j]
		m.Last[j] = v
		if v == v {
			if m.Weight[j] == 0 {
				m.Low[j], m.High[j] = v, v
			} else if v < m.Low[j] {
				m.Low[j] = v
			} else if v > m.High[j] {
				m.High[j] = v
			}
			w := float64(forgetting*m.Weight[j]) + 1
			share := 1 / w
			m.Weight[j] = w
			dev := winsorised(v-m.Mean[j], m.SD[j], w)
			m.Mean[j] += float64(dev * share)
			m.Variance[j] += float64((float64(dev*dev*(1-share)) - m.Variance[j]) * share)
		}
		if diff == diff {
			w := float64(forgetting*m.DiffWeight[j]) + 1
			share := 1 / w
			m.DiffWeight[j] = w
			dev := winsorised(diff, m.RMS[j], w)
			m.Diff2[j] += float64((float64(dev*dev) - m.Diff2[j]) * share)
		}
		// A mean square may be only rounding, and negative.
		rounding := degenerate * math.Abs(m.Mean[j])
		m.SD[j], m.RMS[j] = 0, 0
		if s := math.Sqrt(m.Variance[j]); s > rounding {
			m.SD[j] = s
		}
		if s := math.Sqrt(m.Diff2[j]); s > rounding {
			m.RMS[j] = s
		}
		m.derive(j)
	}
}
