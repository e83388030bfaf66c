package anomaly

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

const (
	tailMemory = 20_000 // number of samples in a tail
	tailTop    = 16     // number of largest values that are kept exactly
	tailFit    = 10     // number of largest values that extrapolate the tail
	tailBins   = 96
	tailWidth  = .25 // width of a bin
	tailPrior  = 2   // weight of the prior mean excess, in values
)

// sampleTail estimates the distribution of a statistic whose consecutive values are independent. Values are
// nonnegative and logarithmic, so that the tail is about exponential.
type sampleTail struct {
	n      float64          // number of values
	kept   int              // number of values in top
	top    [tailTop]float64 // largest first
	beyond []float32        // number of values in bin i or above; length at most tailBins; invariant: not increasing
	memory float64          // replaces tailMemory if larger
}

// surprisal returns -log P(X >= x) for the next value X. The m = tailFit largest values exceed the next smaller
// value u by S in total. Beyond u, the excess of X is exponential with an unknown mean:
//
//	-log P = log((n + 1) / (m + 1)) + (m + tailPrior) log(1 + (x - u) / (S + tailPrior prior)).
//
// This tail is unbounded, and wider the fewer values were seen. The probability of a value that was reached k times
// is at least k / (n + 1).
func (t *sampleTail) surprisal(x float64) float64 {
	if t.n < tailTop {
		return 0
	}
	fit := min(t.kept-1, tailFit)
	if from := t.top[fit]; x > from {
		sum, above := 0., 0.
		for _, v := range t.top[:fit] {
			sum += v - from
			if v >= x {
				above++
			}
		}
		k := float64(fit + tailPrior)
		s := math.Log((t.n+1)/float64(fit+1)) + k*math.Log1p((x-from)/(sum+tailPrior*t.prior()))
		if above > 0 {
			s = min(s, math.Log((t.n+1)/above))
		}
		return s
	}
	bin := tailBin(x)
	from, to := 1., 1.
	if bin < len(t.beyond) {
		from += float64(t.beyond[bin])
	}
	if bin+1 < len(t.beyond) {
		to += float64(t.beyond[bin+1])
	}
	part := min(x/tailWidth-float64(bin), 1) // part of the bin below x; within a bin the tail is exponential
	return roughLog((t.n+1)/from) + part*roughLog(from/to)
}

// prior returns the prior mean excess. It is larger at first, while the model behind the values is still learning.
func (t *sampleTail) prior() float64 {
	const start = 1000
	return tailWidth + (1-tailWidth)*start/(start+t.n)
}

func tailBin(x float64) int { return min(int(x/tailWidth), tailBins-1) }

// learn learns the value x.
func (t *sampleTail) learn(x float64) {
	if t.n >= 2*max(tailMemory, t.memory) {
		t.forget()
	}
	t.n++
	bins := tailBin(x) + 1
	if more := bins - len(t.beyond); more > 0 {
		t.beyond = append(t.beyond, make([]float32, more)...)
	}
	for i := range t.beyond[:bins] {
		t.beyond[i]++
	}
	if t.n > tailTop && x <= t.top[t.kept-1] {
		return
	}
	if t.kept < tailTop {
		t.top[t.kept] = 0
		t.kept++
	}
	i := t.kept - 1
	for ; i > 0 && t.top[i-1] < x; i-- {
		t.top[i] = t.top[i-1]
	}
	t.top[i] = x
}

// forget halves the weight of past samples, and keeps every other of the largest values. It keeps at least one,
// because values that repeat exactly never exceed the kept ones.
func (t *sampleTail) forget() {
	t.n /= 2
	for i := range t.beyond {
		t.beyond[i] /= 2
	}
	t.kept = (t.kept + 1) / 2
	for i := range t.kept {
		t.top[i] = t.top[min(2*i+1, tailTop-1)]
	}
}

func (t *sampleTail) state(c *snapshot.Codec) {
	c.Float64(&t.n)
	c.Index(&t.kept, tailTop+1)
	c.Float64s(t.top[:t.kept])
	used := slices.Index(t.beyond, 0) // number of bins with values
	if used < 0 {
		used = len(t.beyond)
	}
	if c.Index(&used, tailBins+1); c.Decoding() {
		t.beyond = make([]float32, used)
	}
	c.Float32s(t.beyond[:used])
}

const (
	slowShare          = .1                 // share of the samples beyond the threshold of a slowTail
	slowShareSurprisal = 2.3025850929940457 // -log(slowShare)
	slowStart          = 50                 // number of values for the first threshold
	slowReady          = 200                // number of values before the first surprisal
	slowPrior          = 2                  // weight of the prior, in excursions
	excursionEnd       = .8                 // multiple of the threshold below which an excursion ends
	slowMost           = 200                // largest number of excursions in the mean excess
)

// slowTail estimates the distribution of a statistic that changes slowly. Neighbouring values are alike, so it
// counts excursions beyond a threshold instead of values.
type slowTail struct {
	n         float64 // number of values
	threshold float64 // quantile 1 - slowShare
	share     float64 // share of the values beyond the threshold
	outside   bool    // an excursion is under way
	peak      float64 // largest value of this excursion
	count     float64 // number of excursions, including the prior
	excess    float64 // mean excess of their peaks over the threshold
}

// surprisal returns -log P(X >= x) for the next value X. With k = count/2 and x beyond the threshold,
//
//	-log P = k log(1 + (x - threshold) / (k excess)) - log(share).
func (t *slowTail) surprisal(x float64) float64 {
	switch {
	case t.n < slowReady:
		return 0
	case x <= t.threshold:
		return slowShareSurprisal * (x / t.threshold)
	}
	k := .5 * t.count
	return k*math.Log1p((x-t.threshold)/(k*t.excess)) - math.Log(t.share)
}

// learn learns the value x. least bounds the threshold from below. The mean excess starts at prior times the first
// mean.
func (t *slowTail) learn(x, least, prior float64) {
	t.n++
	if t.n <= slowStart {
		t.peak += (lanes.Clip(max(x, least), 10) - t.peak) / t.n // the mean, until the threshold is set
		t.threshold, t.excess = 1.5*t.peak, prior*t.peak
		t.share, t.count = slowShare, slowPrior
		return
	}
	beyond := 0.
	if x > t.threshold {
		beyond = 1
	}
	rate := lanes.Weight(t.n, 1./tailMemory)
	t.share += rate * (beyond - t.share)
	// The threshold moves by stochastic approximation on its logarithm.
	if beyond > 0 {
		t.threshold += t.threshold * .5 / slowShare * rate * (1 - slowShare)
	} else {
		t.threshold -= t.threshold * .5 * rate
	}
	t.threshold = max(least, t.threshold)
	switch {
	case beyond > 0 && !t.outside:
		t.outside, t.peak = true, x
	case beyond > 0:
		t.peak = max(t.peak, x)
	case t.outside && x < excursionEnd*t.threshold:
		t.outside = false
		t.count++
		peak := min(max(t.peak-t.threshold, .1*t.threshold), 10*t.excess)
		t.excess += (peak - t.excess) / min(t.count, slowMost)
	}
}

func (t *slowTail) state(c *snapshot.Codec) {
	c.Bool(&t.outside)
	for _, x := range [...]*float64{&t.n, &t.threshold, &t.share, &t.peak, &t.count, &t.excess} {
		c.Float64(x)
	}
}

const (
	lengthPrior  = 20  // prior mean length of an excursion, in samples
	lengthMost   = 10  // largest length that is learnt, in mean lengths
	lengthFactor = 1.5 // factor on the mean, because some series have longer excursions than an exponential law
)

// lengthTail estimates the distribution of the lengths of excursions, see slowTail. It is an exponential law with a
// learnt mean.
type lengthTail struct{ count, mean float64 } // number of excursions, including the prior; mean length in samples

// surprisal returns -log P(X >= length) for the next length X. With k = count/2,
//
//	-log P = k log(1 + length / (k lengthFactor mean)).
func (t *lengthTail) surprisal(length float64) float64 {
	k := .5 * t.count
	return k * math.Log1p(length/(k*lengthFactor*t.mean))
}

// learn learns a length.
func (t *lengthTail) learn(length float64) {
	t.count = min(t.count+1, slowMost)
	t.mean += (min(length, lengthMost*t.mean) - t.mean) / t.count
}

func (t *lengthTail) state(c *snapshot.Codec) {
	c.Float64(&t.count)
	c.Float64(&t.mean)
}
