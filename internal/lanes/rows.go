package lanes

import "github.com/orffvar/forecaster/internal/vec"

// Rows returns rows x n zeros, with room behind them for what stores whole registers.
func Rows(rows, n int) []float64 { return make([]float64, rows*n, rows*n+vec.Stride(n)) }

// statistics returns rows of vec.Stride(n) elements, one after the other.
func statistics(rows, n int) (all []float64, row func(i int) []float64) {
	if n < 1 {
		panic("lanes: no variables")
	}
	stride := vec.Stride(n)
	all = vec.Aligned(rows * stride)
	return all, func(i int) []float64 { return all[i*stride : (i+1)*stride : (i+1)*stride] }
}

// Standardise sets dst to the rows of x, each of as many elements as mean and inverse
// have: the last first, less the mean, times inverse, limited. NaN stays. dst needs
// room behind it: see Rows.
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

// Bound sets dst to the forecasts last + (origin + unit said - last), in which the
// change is limited to limit times Steps and the forecast to between Floor and
// Ceiling. A said of NaN counts as 0. All have one length; dst needs room behind it:
// see Rows.
func (m *Moments) Bound(dst, said, origin, unit, last []float64, limit float64) {
	n := m.n
	if len(dst) != n || len(said) != n || len(origin) != n || len(unit) != n || len(last) != n {
		panic("lanes: Moments.Bound: lengths differ")
	}
	bound(m, dst[:vec.Stride(n)], said, origin, unit, last, limit)
}

func boundPortable(m *Moments, dst, said, origin, unit, last []float64, limit float64) {
	for j, v := range said {
		if v != v {
			v = 0
		}
		v = last[j] + Clip(origin[j]+float64(unit[j]*v)-last[j], limit*m.Steps[j])
		if v < m.Floor[j] {
			v = m.Floor[j]
		} else if v > m.Ceiling[j] {
			v = m.Ceiling[j]
		}
		dst[j] = v
	}
}

// Clip returns v between -limit and limit; NaN stays. It is faster than min and max,
// which have to tell zeros and NaNs apart.
func Clip(v, limit float64) float64 {
	if v > limit {
		return limit
	}
	if v < -limit {
		return -limit
	}
	return v
}

// Falling returns the weight of the last of count values in a mean: 1/count, but at
// least the given one.
func Falling(count, least float64) float64 {
	if count*least < 1 {
		return 1 / count
	}
	return least
}
