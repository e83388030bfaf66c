package anomaly

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

const (
	tailMemory = 20_000 // samples from which a tail is learnt
	tailTop    = 16     // number of the largest values, which are kept exactly
	tailFit    = 10     // number of them whose excess over the next one extrapolates the tail
	tailBins   = 96
	tailWidth  = .25 // width of a bin
	tailPrior  = 2   // weight of the prior mean excess, in values
)

// sampleTail is the distribution of a statistic whose values follow each other
// without memory. Its values are nonnegative and logarithmic, so that their tail is about
// exponential.
type sampleTail struct {
	n      float64          // values
	kept   int              // values in top
	top    [tailTop]float64 // largest first
	beyond []float32        // number of values in bin i or above; length at most tailBins; invariant: not increasing
	memory float64          // replaces tailMemory if larger
}

// surprisal returns -log P(X >= x) for the next value X. Beyond u, the value behind the m = tailFit
// largest, whose excesses over u sum to S, the excess of X is exponential with an unknown mean:
//
//	-log P = log((n + 1) / (m + 1)) + (m + tailPrior) log(1 + (x - u) / (S + tailPrior prior)).
//
// This tail has no end, and is the wider the less has been seen. A value that was reached k times
// before is never less probable than k / (n + 1).
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
	part := min(x/tailWidth-float64(bin), 1) // part of the bin below x: the tail falls exponentially within a bin
	return roughLog((t.n+1)/from) + part*roughLog(from/to)
}

// prior is the prior mean excess: larger at first, while the model that makes the values
// is still learning.
func (t *sampleTail) prior() float64 {
	const start = 1000
	return tailWidth + (1-tailWidth)*start/(start+t.n)
}

func tailBin(x float64) int { return min(int(x/tailWidth), tailBins-1) }

// learn takes the value x.
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

// forget gives the past samples half their weight, and keeps every other of the largest
// values: at least one, for values that repeat exactly never exceed those that are kept.
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
	used := slices.Index(t.beyond, 0) // bins that have values
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
	slowStart          = 50                 // values that give the first threshold
	slowReady          = 200                // values before the first surprisal
	slowPrior          = 2                  // weight of the prior, in excursions
	excursionEnd       = .8                 // an excursion ends below this part of the threshold
	slowMost           = 200                // excursions over which the mean excess is averaged
)

// slowTail is the distribution of a statistic that changes slowly. It counts excursions
// beyond a threshold, not values: neighbouring values are alike.
type slowTail struct {
	n         float64 // values
	threshold float64 // quantile 1 - slowShare
	share     float64 // of the values beyond the threshold
	outside   bool    // in an excursion
	peak      float64 // of this excursion
	count     float64 // excursions, the prior's included
	excess    float64 // mean of their peaks beyond the threshold
}

// surprisal returns -log P(X >= x) for the next value X. Beyond the threshold it is, with k = count/2,
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

// learn takes the value x. The threshold never falls below least, and the mean
// excess starts at prior times the first mean.
func (t *slowTail) learn(x, least, prior float64) {
	t.n++
	if t.n <= slowStart {
		t.peak += (lanes.Clip(max(x, least), 10) - t.peak) / t.n // for now, the mean
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
	lengthPrior  = 20  // mean length of an excursion before the first, in samples
	lengthMost   = 10  // largest length that is learnt, in means
	lengthFactor = 1.5 // factor of the mean: some series have longer excursions than an exponential law
)

// lengthTail is the distribution of the lengths of excursions, see slowTail: an exponential law
// whose mean is learnt.
type lengthTail struct{ count, mean float64 } // excursions, the prior's included; samples

// surprisal returns -log P(X >= length) for the next length X: with k = count/2,
//
//	-log P = k log(1 + length / (k lengthFactor mean)).
func (t *lengthTail) surprisal(length float64) float64 {
	k := .5 * t.count
	return k * math.Log1p(length/(k*lengthFactor*t.mean))
}

// learn takes a length.
func (t *lengthTail) learn(length float64) {
	t.count = min(t.count+1, slowMost)
	t.mean += (min(length, lengthMost*t.mean) - t.mean) / t.count
}

func (t *lengthTail) state(c *snapshot.Codec) {
	c.Float64(&t.count)
	c.Float64(&t.mean)
}
