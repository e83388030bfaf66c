package lanes

import "math"

// Moments are running statistics of n variables and of their differences between
// consecutive samples, with exponential forgetting. Deviations are winsorised, so that
// one wild value cannot spoil a scale for long. The vectors have vec.Stride(n) elements,
// of which the first n count.
type Moments struct {
	Last                   []float64 // the last sample, NaN where it was missing
	Weight, Mean, Variance []float64
	DiffWeight, Diff2      []float64 // weight and mean square of the differences
	Low, High              []float64

	// What follows from them.
	SD, RMS        []float64 // square roots of Variance and Diff2; 0 for a constant
	Unit, Inverse  []float64 // SD and 1/SD; 1 and 0 for a constant
	Steps, PerStep []float64 // RMS and 1/RMS; 1 and 1 for a constant
	Floor, Ceiling []float64 // Low and High, widened

	all    []float64
	n      int
	limits [6]float64
}

// The limits of Moments.
const (
	momOne        = iota
	momForgetting // weight of a sample after one step
	momAfter      // weight from which deviations are limited …
	momWinsor     // … to so many scales
	momDegenerate // a scale below this times the magnitude of the data counts as zero
	momWide       // how far Floor and Ceiling are from Low and High, in RMS
)

const momentsRows = 16

// NewMoments returns the statistics of no samples. A sample's weight is multiplied by
// forgetting at each step; from a weight of after on, a deviation counts for at most
// winsor scales; a scale of less than degenerate times the magnitude of the data is
// nothing but rounding. Floor and Ceiling are wide times RMS beside Low and High.
func NewMoments(n int, forgetting, after, winsor, degenerate, wide float64) *Moments {
	all, row := statistics(momentsRows, n)
	m := &Moments{
		Last: row(0), Weight: row(1), Mean: row(2), Variance: row(3), DiffWeight: row(4), Diff2: row(5), Low: row(6), High: row(7),
		SD: row(8), RMS: row(9), Unit: row(10), Inverse: row(11), Steps: row(12), PerStep: row(13), Floor: row(14), Ceiling: row(15),
		all: all, n: n, limits: [...]float64{1, forgetting, after, winsor, degenerate, wide},
	}
	m.Break()
	m.Derive()
	return m
}

// Add takes the sample x, NaN where missing, which leaves its variable as it is.
func (m *Moments) Add(x []float64) {
	if len(x) != m.n {
		panic("lanes: Moments.Add: lengths differ")
	}
	moments(m, x)
}

// Break makes the next sample one that does not follow the last.
func (m *Moments) Break() {
	for j := range m.Last {
		m.Last[j] = math.NaN()
	}
}

// Derive sets what follows from SD, RMS, Low and High.
func (m *Moments) Derive() {
	for j := range m.n {
		m.derive(j)
	}
}

func (m *Moments) derive(j int) {
	m.Unit[j], m.Inverse[j], m.Steps[j], m.PerStep[j] = 1, 0, 1, 1
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
		// A mean square may be nothing but rounding, or negative by it.
		rounding := degenerate * (1 + math.Abs(m.Mean[j]))
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
