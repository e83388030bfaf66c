package scoring

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// tally holds the sums behind the scores of one variable at one horizon. All terms are nonnegative, so nothing
// cancels. The mean and the squared deviations of the target are exceptions, updated by Welford's method.
type tally struct {
	n        float64
	se, se2  float64 // squared errors, and their squares
	ae       float64 // absolute errors
	yMean    float64
	yM2      float64 // sum of squared deviations from yMean
	naiveSE  float64 // squared errors of persistence
	naiveAE  float64
	refN     float64 // number of samples with a forecast of the reference
	refOwnSE float64 // squared errors of the model itself on those samples
	refSE    float64
	bounded  float64 // number of samples with an interval
	missed   float64 // number of targets outside of the interval
	width    float64
	excess   float64 // distances of these targets from the interval
	jointN   float64 // number of samples with a joint region; only in the tally over all variables
	joint    float64 // number of samples inside of it
}

// add counts a target y with its squared and absolute errors.
func (t *tally) add(y, se, ae float64) {
	t.errors(se, ae)
	dev := y - t.yMean
	t.yMean += dev / t.n
	t.yM2 += dev * (y - t.yMean)
}

// errors adds a squared and an absolute error, without the target.
func (t *tally) errors(se, ae float64) {
	t.n++
	t.se += se
	t.se2 += se * se
	t.ae += ae
}

// sd returns the population standard deviation of the targets.
func (t *tally) sd() float64 { return math.Sqrt(t.yM2 / t.n) }

// region adds a joint region: its lower bounds, then its upper ones. NaN: no region.
func (t *tally) region(y, bounds []float64) {
	lo, hi := bounds[:len(y)], bounds[len(y):]
	inside := 1.
	for j, v := range y {
		switch {
		case math.IsNaN(lo[j]):
			return
		case v < lo[j] || v > hi[j]:
			inside = 0
		}
	}
	t.jointN++
	t.joint += inside
}

// merge adds the samples of u.
func (t *tally) merge(u tally) {
	mergeMean(&t.yMean, &t.yM2, t.n, u.yMean, u.yM2, u.n)
	t.n += u.n
	t.se += u.se
	t.se2 += u.se2
	t.ae += u.ae
	t.naiveSE += u.naiveSE
	t.naiveAE += u.naiveAE
	t.refN += u.refN
	t.refSE += u.refSE
	t.refOwnSE += u.refOwnSE
	t.bounded += u.bounded
	t.missed += u.missed
	t.width += u.width
	t.excess += u.excess
	t.jointN += u.jointN
	t.joint += u.joint
}

// mergeMean merges m values with their mean and sum of squared deviations into those of n other values (Chan, Golub
// and LeVeque).
func mergeMean(mean, m2 *float64, n, otherMean, otherM2, m float64) {
	if m == 0 {
		return
	}
	dev := otherMean - *mean
	*m2 += otherM2 + dev*dev*(n*m/(n+m))
	*mean += dev * (m / (n + m))
}

// base returns the scores that compare with no baseline; all others are NaN.
func (t tally) base() Score {
	nan, n := math.NaN(), t.n
	mse := t.se / n
	return Score{
		N: int64(n), MSE: mse, RMSE: math.Sqrt(mse), MAE: t.ae / n,
		SCVMSE: mse, SCVSD: math.Sqrt(max(0, t.se2/n-mse*mse)), SCVSE: nan,
		NMSE: nan, MASE: nan, SkillVsNaive: nan, SkillVsVAR: nan,
		Coverage: nan, Width: nan, Pinball: nan, Joint: ratio(t.joint, t.jointN),
	}
}

// ratio returns a/b, NaN if b is zero.
func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// Skill returns 1 - loss / baseline, the losses of model and baseline on the same targets. Above 0: better than the
// baseline; 1: perfect. NaN if the baseline has no loss. Differences in the order of rounding count as 0.
func Skill(loss, baseline float64) float64 {
	const rounding = 1e-12
	if s := 1 - ratio(loss, baseline); math.Abs(s) > rounding || s != s {
		return s
	}
	return 0
}

func (t tally) score(level float64) Score {
	s := t.base()
	s.NMSE = ratio(t.se, t.yM2)
	s.MASE = ratio(t.ae, t.naiveAE)
	s.SkillVsNaive = Skill(t.se, t.naiveSE)
	s.SkillVsVAR = Skill(t.refOwnSE, t.refSE)
	s.interval(t.bounded, t.missed, t.width, t.excess, level)
	return s
}

// interval sets the scores of n intervals. With the quantile loss tau r + max(0, -r) of order tau and residual r,
// and tail = (1 - level)/2, the loss of both bounds together is
//
//	tail * width + distance of the target from the interval.
func (s *Score) interval(n, missed, width, excess, level float64) {
	tail := (1 - level) / 2
	s.Coverage = ratio(n-missed, n)
	s.Width = ratio(width, n)
	s.Pinball = ratio(tail*width+excess, 2*n)
}

// average collects the variables for the score over all of them.
type average struct {
	vars            int // number of variables that are not constant
	nmse, naiveSE   float64
	ae, naiveAE     float64
	refOwnSE, refSE float64
	bounded, missed float64
	width, excess   float64
}

func (a *average) add(t tally) {
	a.bounded += t.bounded
	a.missed += t.missed
	a.width += t.width
	a.excess += t.excess
	if t.n == 0 || t.yM2 == 0 {
		return
	}
	a.vars++
	v := t.yM2 / t.n
	sd := math.Sqrt(v)
	a.nmse += t.se / t.yM2
	a.naiveSE += t.naiveSE / t.yM2
	a.ae += t.ae / t.n / sd
	a.naiveAE += t.naiveAE / t.n / sd
	if t.refN > 0 {
		a.refOwnSE += t.refOwnSE / t.refN / v
		a.refSE += t.refSE / t.refN / v
	}
}

func (a *average) score(all tally, level float64) Score {
	s := all.base()
	s.NMSE = ratio(a.nmse, float64(a.vars))
	s.MASE = ratio(a.ae, a.naiveAE)
	s.SkillVsNaive = Skill(a.nmse, a.naiveSE)
	s.SkillVsVAR = Skill(a.refOwnSE, a.refSE)
	s.interval(a.bounded, a.missed, a.width, a.excess, level)
	return s
}

func (t *tally) state(c *snapshot.Codec) {
	for _, v := range [...]*float64{&t.n, &t.se, &t.se2, &t.ae, &t.jointN, &t.joint} {
		c.Float64(v)
	}
}
