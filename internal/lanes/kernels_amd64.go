package lanes

import (
	"github.com/orffvar/forecaster/internal/isa"
)

//go:generate go run -C ../tools/asmgen . -family lanes -out ../../lanes/kernels_amd64.s -stubs ../../lanes/kernels_stubs_amd64.go -pkg lanes

// The functions below call the kernel of the active instruction set.

func tally(totals, sums, errs, waiting []float64, offsets []int, target []float64, rows, size int) {
	n, horizons := len(target), len(offsets)
	switch {
	case n < fewTallied || isa.Active == isa.Portable:
		tallyPortable(totals, sums, errs, waiting, offsets, target, rows, size)
	case isa.Active == isa.AVX2:
		tallyAVX2(&totals[0], &sums[0], &errs[0], &waiting[0], &offsets[0], &target[0], n, rows, 8*size, horizons)
	default:
		tallyAVX512(&totals[0], &sums[0], &errs[0], &waiting[0], &offsets[0], &target[0], n, rows, 8*size, horizons)
	}
}

func cusum(c *Cusum, x []float64) (sum, length float64) {
	var most [2]float64
	switch isa.Active {
	case isa.AVX512:
		cusumAVX512(&most[0], &c.all[0], &x[0], &c.limits[0], len(x))
	case isa.AVX2:
		cusumAVX2(&most[0], &c.all[0], &x[0], &c.limits[0], len(x))
	default:
		return cusumPortable(c, x)
	}
	return most[0], most[1]
}

func moments(m *Moments, x []float64) {
	switch {
	case isa.Active == isa.Portable || m.n < few:
		momentsPortable(m, x)
	case isa.Active == isa.AVX512:
		momentsAVX512(&m.all[0], &m.limits[0], &x[0], m.n, len(m.Mean))
	default:
		momentsAVX2(&m.all[0], &m.limits[0], &x[0], m.n, len(m.Mean))
	}
}

func steps(s *Steps, x, last []float64) {
	switch {
	case isa.Active == isa.Portable || s.n < few:
		stepsPortable(s, x, last)
	case isa.Active == isa.AVX512:
		stepsAVX512(&s.all[0], &s.limits[0], &x[0], &last[0], s.n, len(s.Target))
	default:
		stepsAVX2(&s.all[0], &s.limits[0], &x[0], &last[0], s.n, len(s.Target))
	}
}

func standardise(dst, x, mean, inverse []float64, limit float64) {
	switch {
	case isa.Active == isa.Portable || len(mean) < few:
		standardisePortable(dst, x, mean, inverse, limit)
	case isa.Active == isa.AVX512:
		standardiseAVX512(&dst[0], &x[0], &mean[0], &inverse[0], limit, len(x), len(mean))
	default:
		standardiseAVX2(&dst[0], &x[0], &mean[0], &inverse[0], limit, len(x), len(mean))
	}
}

func bound(m *Moments, dst, v, origin, unit, last, floor, ceiling []float64, limit float64) {
	switch {
	case isa.Active == isa.Portable || m.n < few:
		boundPortable(m, dst, v, origin, unit, last, floor, ceiling, limit)
	case isa.Active == isa.AVX512:
		boundAVX512(&dst[0], &v[0], &origin[0], &unit[0], &last[0], &m.Steps[0], &floor[0], &ceiling[0], limit, m.n)
	default:
		boundAVX2(&dst[0], &v[0], &origin[0], &unit[0], &last[0], &m.Steps[0], &floor[0], &ceiling[0], limit, m.n)
	}
}

func localMean(l *LocalMean, x []float64) {
	switch {
	case isa.Active == isa.Portable || l.n < few:
		localMeanPortable(l, x)
	case isa.Active == isa.AVX512:
		localMeanAVX512(&l.all[0], &l.limits[0], &x[0], l.n, len(l.Mean))
	default:
		localMeanAVX2(&l.all[0], &l.limits[0], &x[0], l.n, len(l.Mean))
	}
}

func conformal(c *Conformal, scale, count, own, half, forecast, y, voting, steps []float64, stride int) {
	switch {
	case isa.Active == isa.Portable || len(y) < 4: // a register takes longer than three numbers
		conformalPortable(c, scale, count, own, half, forecast, y, voting, steps, stride)
	case isa.Active == isa.AVX512:
		conformalAVX512(&c.counts[0], &scale[0], &count[0], &own[0], &half[0], &forecast[0], &y[0], &voting[0],
			&c.limits[0], &steps[0], len(y), c.Levels, stride)
	default:
		conformalAVX2(&c.counts[0], &scale[0], &count[0], &own[0], &half[0], &forecast[0], &y[0], &voting[0],
			&c.limits[0], &steps[0], len(y), c.Levels, stride)
	}
}

func aggregate(m *Mixture, f, x, inverse []float64, limit float64, row int) {
	switch isa.Active {
	case isa.AVX512:
		aggregateAVX512(&m.Mean[0], &m.Low[0], &m.High[0], &m.Z[0], &m.Weights[0], &f[0], &x[0], &inverse[0], limit, m.Experts, m.Variables, row, len(m.Mean))
	case isa.AVX2:
		aggregateAVX2(&m.Mean[0], &m.Low[0], &m.High[0], &m.Z[0], &m.Weights[0], &f[0], &x[0], &inverse[0], limit, m.Experts, m.Variables, row, len(m.Mean))
	default:
		aggregatePortable(m, f, x, inverse, limit, row)
	}
}

func regrets(m *Mixture, out, y []float64) {
	relative, prior := 0, 0
	if m.Relative {
		relative = 1
	}
	if m.PriorRounds > 0 {
		prior = 1
	}
	switch isa.Active {
	case isa.AVX512:
		regretsAVX512(&m.rows[0], &m.Weights[0], &m.Regret[0], &m.Square[0], &m.Gain[0], &m.Z[0], &out[0], &y[0], &m.Prior[0], &m.limits[0], m.Experts, len(m.Mean), relative, prior)
	case isa.AVX2:
		regretsAVX2(&m.rows[0], &m.Weights[0], &m.Regret[0], &m.Square[0], &m.Gain[0], &m.Z[0], &out[0], &y[0], &m.Prior[0], &m.limits[0], m.Experts, len(m.Mean), relative, prior)
	default:
		regretsPortable(m, out, y)
	}
}

func errors(e *Errors, y, forecast []float64) {
	switch isa.Active {
	case isa.Portable:
		errorsPortable(e, y, forecast)
	case isa.AVX512:
		errorsAVX512(&e.all[0], &e.limits[0], &y[0], &forecast[0], e.n, len(e.Count))
	default:
		errorsAVX2(&e.all[0], &e.limits[0], &y[0], &forecast[0], e.n, len(e.Count))
	}
}

func noise(e *Errors, variance []float64) {
	switch isa.Active {
	case isa.Portable:
		noisePortable(e, variance)
	case isa.AVX512:
		noiseAVX512(&e.all[0], &e.limits[0], &variance[0], e.n, len(e.Count))
	default:
		noiseAVX2(&e.all[0], &e.limits[0], &variance[0], e.n, len(e.Count))
	}
}

func levels(l *Levels, x, profile, scale []float64) {
	switch isa.Active {
	case isa.Portable:
		levelsPortable(l, x, profile, scale)
	case isa.AVX512:
		levelsAVX512(&l.all[0], &l.limits[0], &x[0], &profile[0], &scale[0], l.n, len(l.Count))
	default:
		levelsAVX2(&l.all[0], &l.limits[0], &x[0], &profile[0], &scale[0], l.n, len(l.Count))
	}
}

func learnLevels(l *Levels, x, profile, others []float64) {
	switch isa.Active {
	case isa.Portable:
		learnLevelsPortable(l, x, profile, others)
	case isa.AVX512:
		learnLevelsAVX512(&l.all[0], &l.limits[0], &x[0], &profile[0], &others[0], l.n, len(l.Count))
	default:
		learnLevelsAVX2(&l.all[0], &l.limits[0], &x[0], &profile[0], &others[0], l.n, len(l.Count))
	}
}

func liveliness(l *Liveliness, x, count, variance []float64) {
	switch isa.Active {
	case isa.Portable:
		livelinessPortable(l, x, count, variance)
	case isa.AVX512:
		livelinessAVX512(&l.all[0], &l.limits[0], &x[0], &count[0], &variance[0], l.n, len(l.Usual))
	default:
		livelinessAVX2(&l.all[0], &l.limits[0], &x[0], &count[0], &variance[0], l.n, len(l.Usual))
	}
}

func residuals(s *Residuals, r []float64) {
	switch isa.Active {
	case isa.Portable:
		residualsPortable(s, r)
	case isa.AVX512:
		residualsAVX512(&s.all[0], &s.limits[0], &r[0], s.n, len(s.Mean))
	default:
		residualsAVX2(&s.all[0], &s.limits[0], &r[0], s.n, len(s.Mean))
	}
}
