package lanes

import (
	"github.com/orffvar/forecaster/internal/isa"
)

//go:generate go run -C ../tools/asmgen . -family lanes -out ../../lanes/kernels_amd64.s -stubs ../../lanes/kernels_stubs_amd64.go -pkg lanes -rules ../../lanes/rules_generated.go

// The functions below call the kernel, which needs AVX2, unless portable Go is active.

func tally(totals, sums, errs, waiting []float64, offsets []int, target []float64, rows, size int) {
	n, horizons := len(target), len(offsets)
	if isa.Active == isa.Portable || n < fewTallied {
		tallyPortable(totals, sums, errs, waiting, offsets, target, rows, size)
		return
	}
	tallyAVX2(&totals[0], &sums[0], &errs[0], &waiting[0], &offsets[0], &target[0], n, rows, 8*size, horizons)
}

func cusum(c *Cusum, x []float64) (sum, length float64) {
	var most [2]float64
	if isa.Active == isa.Portable {
		return cusumPortable(c, x)
	}
	cusumAVX2(&most[0], &c.all[0], &x[0], &c.limits[0], len(x))
	return most[0], most[1]
}

func moments(m *Moments, x []float64) {
	if isa.Active == isa.Portable || m.n < few {
		momentsPortable(m, x)
		return
	}
	momentsAVX2(&m.all[0], &m.limits[0], &x[0], m.n, len(m.Mean))
}

func steps(s *Steps, x, last []float64) {
	if isa.Active == isa.Portable || s.n < few {
		stepsPortable(s, x, last)
		return
	}
	stepsAVX2(&s.all[0], &s.limits[0], &x[0], &last[0], s.n, len(s.Target))
}

func standardise(dst, x, mean, inverse []float64, limit float64) {
	if isa.Active == isa.Portable || len(mean) < few {
		standardisePortable(dst, x, mean, inverse, limit)
		return
	}
	standardiseAVX2(&dst[0], &x[0], &mean[0], &inverse[0], limit, len(x), len(mean))
}

func bound(m *Moments, dst, v, origin, unit, last, floor, ceiling []float64, limit float64) {
	if isa.Active == isa.Portable || m.n < few {
		boundPortable(m, dst, v, origin, unit, last, floor, ceiling, limit)
		return
	}
	boundAVX2(&dst[0], &v[0], &origin[0], &unit[0], &last[0], &m.Steps[0], &floor[0], &ceiling[0], limit, m.n)
}

func localMean(l *LocalMean, x []float64) {
	if isa.Active == isa.Portable || l.n < few {
		localMeanPortable(l, x)
		return
	}
	localMeanAVX2(&l.all[0], &l.limits[0], &x[0], l.n, len(l.Mean))
}

func conformal(c *Conformal, scale, count, own, half, forecast, y, voting, steps []float64, stride int) {
	if isa.Active == isa.Portable || len(y) < 4 { // for at most three values the portable loop is faster
		conformalPortable(c, scale, count, own, half, forecast, y, voting, steps, stride)
		return
	}
	conformalAVX2(&c.counts[0], &scale[0], &count[0], &own[0], &half[0], &forecast[0], &y[0], &voting[0],
		&c.limits[0], &steps[0], len(y), c.Levels, stride)
}

func aggregate(m *Mixture, f, x, inverse []float64, limit float64, row int) {
	if isa.Active == isa.Portable {
		aggregatePortable(m, f, x, inverse, limit, row)
		return
	}
	aggregateAVX2(&m.Mean[0], &m.Low[0], &m.High[0], &m.Z[0], &m.Weights[0], &f[0], &x[0], &inverse[0], limit, m.Experts, m.Variables, row, len(m.Mean))
}

func regrets(m *Mixture, out, y []float64) {
	relative, prior := 0, 0
	if m.Relative {
		relative = 1
	}
	if m.PriorRounds > 0 {
		prior = 1
	}
	if isa.Active == isa.Portable {
		regretsPortable(m, out, y)
		return
	}
	regretsAVX2(&m.rows[0], &m.Weights[0], &m.Regret[0], &m.Square[0], &m.Gain[0], &m.Z[0], &out[0], &y[0], &m.Prior[0], &m.limits[0], m.Experts, len(m.Mean), relative, prior)
}

func errors(e *Errors, y, forecast []float64) {
	if isa.Active == isa.Portable {
		errorsPortable(e, y, forecast)
		return
	}
	errorsAVX2(&e.all[0], &e.limits[0], &y[0], &forecast[0], e.n, len(e.Count))
}

func noise(e *Errors, variance []float64) {
	if isa.Active == isa.Portable {
		noisePortable(e, variance)
		return
	}
	noiseAVX2(&e.all[0], &e.limits[0], &variance[0], e.n, len(e.Count))
}

func levels(l *Levels, x, profile, scale []float64) {
	if isa.Active == isa.Portable {
		levelsPortable(l, x, profile, scale)
		return
	}
	levelsAVX2(&l.all[0], &l.limits[0], &x[0], &profile[0], &scale[0], l.n, len(l.Count))
}

func learnLevels(l *Levels, x, profile, others []float64) {
	if isa.Active == isa.Portable {
		learnLevelsPortable(l, x, profile, others)
		return
	}
	learnLevelsAVX2(&l.all[0], &l.limits[0], &x[0], &profile[0], &others[0], l.n, len(l.Count))
}

func liveliness(l *Liveliness, x, count, variance []float64) {
	if isa.Active == isa.Portable {
		livelinessPortable(l, x, count, variance)
		return
	}
	livelinessAVX2(&l.all[0], &l.limits[0], &x[0], &count[0], &variance[0], l.n, len(l.Usual))
}

func residuals(s *Residuals, r []float64) {
	if isa.Active == isa.Portable {
		residualsPortable(s, r)
		return
	}
	residualsAVX2(&s.all[0], &s.limits[0], &r[0], s.n, len(s.Mean))
}

func ratios(s *Sizes, dst, origin, forecast []float64) {
	if isa.Active == isa.Portable || s.n < few {
		ratiosPortable(s, dst, origin, forecast)
		return
	}
	ratiosAVX2(&dst[0], &s.terms[0], &s.weights[0], &origin[0], &forecast[0], &s.limits[0], s.n, s.stride)
}

func addSizes(s *Sizes, sizes, ratios []float64) {
	if isa.Active == isa.Portable || s.n < few {
		addSizesPortable(s, sizes, ratios)
		return
	}
	addSizesAVX2(&s.sums[0], &s.terms[0], &sizes[0], &ratios[0], &s.limits[0], s.n, s.stride)
}
