package series

import (
	"math"
	"strconv"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
)

// ExogenousInputs are the exogenous inputs of a series: their values at the last sample and, as far as they are known, at
// the forecast times. An unknown input keeps its last value.
type ExogenousInputs struct {
	Count, horizon int
	scaler         *Scaler
	u              []float64 // (horizon+1) x count; row 0 at the last sample
	given          bool      // u belongs to the next sample
}

// NewExogenousInputs returns nil for count = 0.
func NewExogenousInputs(count, horizon int) *ExogenousInputs {
	if count == 0 {
		return nil
	}
	return &ExogenousInputs{Count: count, horizon: horizon, scaler: NewScaler(count), u: make([]float64, (horizon+1)*count)}
}

// inputFrequencies is the smallest number of frequencies for the exogenous inputs.
const inputFrequencies = 30

// inputBlock separates the draws for the exogenous inputs from the draws of the experts.
const inputBlock = 1000

// NewInputFeatures returns random features of the standardised exogenous inputs. Each feature depends on one input, so
// they span sums of functions of one input.
func NewInputFeatures(inputs int, seed uint64, block int) (*orff.Adaptive, error) {
	f, err := orff.NewAdaptive(inputs, max(inputFrequencies, inputs), 1, random.Block(seed, inputBlock+block))
	if err != nil {
		return nil, err
	}
	f.AlignAxes()
	f.SetBandwidth(math.Sqrt(2 * float64(inputs))) // the usual distance of standardised inputs
	return f, nil
}

// Features returns the number of features of the inputs; in may be nil.
func (in *ExogenousInputs) Features() int {
	if in == nil {
		return 0
	}
	return 2 * in.Count
}

// Set implements eval.InputTaker.SetInputs.
func (in *ExogenousInputs) Set(u []float64) {
	if len(u) != len(in.u) {
		panic("varmodel: SetInputs: wrong length")
	}
	in.given = true
	k := in.Count
	in.scaler.Add(u[:k])
	for i, v := range u {
		switch {
		case !math.IsNaN(v) && !math.IsInf(v, 0):
			in.u[i] = v
		case i >= k:
			in.u[i] = in.u[i-k]
		}
	}
}

// Next moves to the next sample. It is called once per sample.
func (in *ExogenousInputs) Next() {
	if !in.given {
		for i := in.Count; i < len(in.u); i++ {
			in.u[i] = in.u[i-in.Count]
		}
	}
	in.given = false
}

// Remember stores the inputs at the last sample of past, and one step later, with that sample.
func (in *ExogenousInputs) Remember(past *History) { in.RememberAhead(past, 0) }

// RememberAhead is Remember when the last sample of past is a forecast h steps ahead.
func (in *ExogenousInputs) RememberAhead(past *History, h int) {
	k, at := in.Count, past.besideLag(0)
	for i := range 2 {
		copy(at[i*k:(i+1)*k], in.u[min(h+i, in.horizon)*k:])
	}
}

// AheadTo writes the 3 x count features of a forecast h steps ahead: the standardised inputs at that time, their change
// until then, and their mean until then, which drives a series with memory. Beyond the known inputs, the last one stays.
func (in *ExogenousInputs) AheadTo(dst []float64, h int) {
	h = min(h, in.horizon)
	k := in.Count
	in.between(dst, in.u[:k], in.u[h*k:(h+1)*k], 1)
	mean := dst[2*k : 3*k]
	clear(mean)
	for i := k; i < (h+1)*k; i++ {
		mean[i%k] += in.scaler.Standardised(i%k, in.u[i]) / float64(h)
	}
}

// StepTo writes the features of the k-th of consecutive steps.
func (in *ExogenousInputs) StepTo(dst []float64, k int) {
	n := in.Count
	in.between(dst, in.u[(k-1)*n:k*n], in.u[k*n:(k+1)*n], 1)
}

// AfterTo writes the features of a forecast one step after the last sample of past.
func (in *ExogenousInputs) AfterTo(dst []float64, past *History, size float64) {
	k, at := in.Count, past.besideLag(0)
	in.between(dst, at[:k], at[k:], size)
}

// NextTo writes the standardised inputs one step after the last sample of past.
func (in *ExogenousInputs) NextTo(dst []float64, past *History) {
	for j, v := range past.besideLag(0)[in.Count:] {
		dst[j] = in.scaler.Standardised(j, v)
	}
}

func (in *ExogenousInputs) between(dst, now, then []float64, size float64) {
	for j, v := range now {
		z := in.scaler.Standardised(j, v)
		dst[j] = size * z
		dst[in.Count+j] = size * (in.scaler.Standardised(j, then[j]) - z)
	}
}

// State saves or restores the inputs. Inputs more than one step ahead are optional: until the next sample, the last known
// inputs replace missing ones.
func (in *ExogenousInputs) State(c *snapshot.Codec) {
	c.Section("inputs")
	in.scaler.State(c)
	next := 2 * in.Count
	c.Float64s(in.u[:next])
	if c.Decoding() {
		for i := next; i < len(in.u); i++ {
			in.u[i] = in.u[i-in.Count]
		}
	}
	c.Optional("horizon="+strconv.Itoa(len(in.u)/in.Count-1), func() { c.Float64s(in.u[next:]) })
	c.Bool(&in.given)
}
