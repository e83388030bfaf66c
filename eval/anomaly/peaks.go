package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

const (
	peaksTop   = 6   // number of peaks kept
	peaksLeast = 2   // least number of peaks for a surprisal
	peaksPrior = .25 // prior mean of the logarithm of a peak relative to the least one
	peaksCount = 2   // weight of the prior, in peaks
)

// peaks holds the largest excursions of a view, including alarms. A tail learns little from alarms, so an excursion
// at every weekend would remain an alarm, which a budget does not allow.
type peaks struct {
	n    float64 // number of samples
	now  float64 // largest statistic of the present excursion; 0 = no excursion
	kept int
	top  [peaksTop]float64 // largest first
}

// enter adds the statistic x of a sample. over reports that the sample is outside of excursions. rate is the
// expected number of alarms of the view per sample; peaks rarer than that are forgotten, because they decide
// nothing.
func (p *peaks) enter(x float64, over bool, rate float64) {
	p.n++
	if p.n*rate > 2*peaksTop {
		p.n /= 2
		last := p.kept - 1
		p.kept = (p.kept + 1) / 2
		for i := range p.kept {
			p.top[i] = p.top[min(2*i+1, last)]
		}
	}
	if !over {
		p.now = max(p.now, x)
		return
	}
	if p.now > 0 {
		p.take(p.now)
		p.now = 0
	}
}

func (p *peaks) take(x float64) {
	if p.kept < peaksTop {
		p.top[p.kept] = 0
		p.kept++
	}
	i := p.kept - 1
	if x <= p.top[i] {
		return
	}
	for ; i > 0 && p.top[i-1] < x; i-- {
		p.top[i] = p.top[i-1]
	}
	p.top[i] = x
}

// surprisal returns -log P that an excursion reaches x at a sample. With the k kept peaks of n samples, the least
// of them, and S the sum of log(peak / least),
//
//	-log P = log((n + 1) / k) + (k - 1 + peaksCount) log(1 + log(x/least) / (S + peaksCount peaksPrior)),
//
// but at most log((n + 1) / number of peaks of at least x).
func (p *peaks) surprisal(x float64) float64 {
	if p.kept < peaksLeast {
		return math.Inf(1)
	}
	least := p.top[p.kept-1]
	sum, above := 0., 0.
	for _, v := range p.top[:p.kept] {
		sum += math.Log(v / least)
		if v >= x {
			above++
		}
	}
	s := math.Log((p.n + 1) / float64(p.kept))
	if x > least {
		s += float64(p.kept-1+peaksCount) * math.Log1p(math.Log(x/least)/(sum+peaksCount*peaksPrior))
	}
	if above > 0 {
		s = min(s, math.Log((p.n+1)/above))
	}
	return s
}

// peaksState saves or restores peaks, which are nil without a budget.
func peaksState(c *snapshot.Codec, p *peaks) {
	has := p != nil
	if c.Bool(&has); !has {
		return
	}
	if p == nil {
		p = new(peaks) // read and dropped: there is no budget now
	}
	c.Float64(&p.n)
	c.Float64(&p.now)
	c.Index(&p.kept, peaksTop+1)
	c.Float64s(p.top[:p.kept])
}
