package lanes

import "github.com/orffvar/forecaster/internal/vec"

// Standardise writes the rows of X in reverse order, standardised and clipped:
//
//	dst_i = clip((x_{k-1-i} - mean) inverse, limit),   i = 0 … k-1
//
// X and dst are k x n; mean and inverse have n elements. If X has consecutive samples of a series, dst has its lags,
// the newest first. dst needs the capacity that Rows gives.
func Standardise(dst, x, mean, inverse []float64, limit float64) {
	n := len(mean)
	if len(inverse) != n || n == 0 || len(x) != n && len(x)%n != 0 || len(dst) != len(x) {
		panic("lanes: Standardise: shapes differ")
	}
	if len(x) > 0 {
		standardise(dst[:len(x)-n+vec.Stride(n)], x, mean, inverse, limit)
	}
}

func standardisePortable(dst, x, mean, inverse []float64, limit float64) {
	n := len(mean)
	for to := 0; to < len(x); to += n {
		from := len(x) - n - to
		for j, v := range x[from : from+n] {
			dst[to+j] = Clip((v-mean[j])*inverse[j], limit)
		}
	}
}

// Bound converts the output v of a regression into a forecast near the last sample, and within the range of the past.
// move shifts this range with the series:
//
//	step = clip(origin + unit v - last, limit Steps)
//	dst  = min(max(last + step, Floor + min(move, 0)), Ceiling + max(move, 0))
//
// A NaN in v counts as 0. move nil counts as 0. All others have n elements; dst needs the capacity that Rows gives.
func (m *Moments) Bound(dst, v, origin, unit, last []float64, limit float64, move []float64) {
	n := m.n
	if len(dst) != n || len(v) != n || len(origin) != n || len(unit) != n || len(last) != n {
		panic("lanes: Moments.Bound: lengths differ")
	}
	floor, ceiling := m.Floor, m.Ceiling
	if move != nil {
		if m.floorAhead == nil {
			m.floorAhead, m.ceilingAhead = Rows(1, n), Rows(1, n)
		}
		floor, ceiling = m.floorAhead, m.ceilingAhead
		for j, v := range move[:n] {
			floor[j], ceiling[j] = m.Range(j, v)
		}
	}
	bound(m, dst[:vec.Stride(n)], v, origin, unit, last, floor, ceiling, limit)
}

// Range returns the range of forecasts of variable j after the given move, see Bound.
func (m *Moments) Range(j int, move float64) (floor, ceiling float64) {
	return m.Floor[j] + min(move, 0), m.Ceiling[j] + max(move, 0)
}

func boundPortable(m *Moments, dst, v, origin, unit, last, floor, ceiling []float64, limit float64) {
	for j, v := range v {
		if v != v {
			v = 0
		}
		v = last[j] + Clip(origin[j]+float64(unit[j]*v)-last[j], limit*m.Steps[j])
		if v < floor[j] {
			v = floor[j]
		} else if v > ceiling[j] {
			v = ceiling[j]
		}
		dst[j] = v
	}
}
