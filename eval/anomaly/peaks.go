package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

const (
	peaksTop   = 6   // number of the largest peaks, which are kept
	peaksLeast = 2   // number of peaks below which nothing is known
	peaksPrior = .25 // prior mean of the logarithm of a peak over the least one
	peaksCount = 2   // weight of the prior, in peaks
)

// peaks are the largest excursions of a view, alarms included. A tail learns little from alarms, so that an excursion of
// each weekend would stay an alarm; a budget does not allow it.
type peaks struct {
	n    float64 // samples
	now  float64 // largest statistic of this excursion; 0 = there is none
	kept int
	top  [peaksTop]float64 // largest first
}

// enter takes the statistic x of a sample; over reports that it belongs to no excursion. rate is the expected number of
// alarms of the view per sample: rarer peaks decide nothing, and are forgotten.
func (p *peaks) enter(x float64, over bool, rate float64) {
	p.n++
	if p.n*rate > 2*peaksTop {
		p.n /= 2
		p.kept = (p.kept + 1) / 2
		for i := range p.kept {
			p.top[i] = p.top[min(2*i+1, peaksTop-1)]
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

// surprisal returns -log P that an excursion reaches x at a sample. Above the least of the k peaks that are kept from n
// samples, with S the sum of the logarithms of the peaks over it,
//
//	-log P = log((n + 1) / k) + (k - 1 + peaksCount) log(1 + log(x/least) / (S + peaksCount peaksPrior)),
//
// but never more than log((n + 1) / peaks of at least x).
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
		p = new(peaks) // the budget is gone
	}
	c.Float64(&p.n)
	c.Float64(&p.now)
	c.Index(&p.kept, peaksTop+1)
	c.Float64s(p.top[:p.kept])
}
