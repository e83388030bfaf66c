package lanes

import "math"

// Residuals has the recent mean of the residuals r_t of n variables, each given the others. With
//
//	Mean_t  = Mean_{t-1} + pace b (r_t - Mean_{t-1})
//	Usual_t = Usual_{t-1} + a (min(Mean_t², winsor Usual_{t-1}) - Usual_{t-1})
//
// the statistic is Mean_t² / Usual_{t-1}.
type Residuals struct {
	Mean, Usual []float64
	Square      []float64 // statistic of the last sample
	Pace        float64   // factor of the weight of a residual that is smaller than the mean

	all    []float64
	n      int
	limits [resLimits]float64
}

// NewResiduals returns statistics without residuals. span is b.
func NewResiduals(n int, span float64) *Residuals {
	r := &Residuals{n: n, limits: [resLimits]float64{resOne: 1, resSpan: span, resPace: 1, resRate: 0, resWinsor: 0, resLimit: 0}}
	r.all = compact(n, r.fields())
	return r
}

// Add learns the residuals r. rate is the weight a. Usual does not learn statistics above limit.
func (s *Residuals) Add(r []float64, rate, winsor, limit float64) {
	if len(r) != s.n {
		panic("lanes: Residuals.Add: lengths differ")
	}
	s.limits[resPace], s.limits[resRate], s.limits[resWinsor], s.limits[resLimit] = s.Pace, rate, winsor, limit
	if s.n < few {
		residualsPortable(s, r)
		return
	}
	residuals(s, r)
}

func residualsPortable(s *Residuals, r []float64) {
	p := &s.limits
	for j, v := range r {
		mean, usual, pace := s.Mean[j], s.Usual[j], 1.
		if math.Abs(v) < math.Abs(mean) {
			pace = p[resPace]
		}
		mean += float64(float64(pace*p[resSpan]) * (v - mean))
		s.Mean[j] = mean
		square, relative := mean*mean, 0.
		if usual > 0 {
			relative = square / usual
			if most := p[resWinsor] * usual; square > most {
				square = most
			}
		}
		if s.Square[j] = relative; relative <= p[resLimit] {
			s.Usual[j] = usual + float64(p[resRate]*(square-usual))
		}
	}
}
