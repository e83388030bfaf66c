package eval

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// tally holds the sums that the scores of one variable at one horizon are made
// of. All sums are of terms that cannot be negative, except for the mean and
// sum of squared deviations of the target, which are updated by Welford's
// method; so nothing cancels.
type tally struct {
	n        int64
	se, se2  float64 // squared error, and its square
	ae       float64 // absolute error
	yMean    float64
	yM2      float64 // sum of squared deviations from yMean
	naiveSE  float64 // of persistence
	naiveAE  float64
	refN     int64 // samples with a forecast of the reference
	refSE    float64
	refOwnSE float64 // of the model itself, on those samples
	inN      int64   // samples with an interval
	hits     int64   // targets inside it
	width    float64
	pinball  float64
	jointN   int64 // samples with a joint region; of the tally over all variables
	joint    int64 // samples inside it
}

// add counts a target y with its squared and absolute errors.
func (t *tally) add(y, se, ae float64) {
	t.n++
	t.se += se
	t.se2 += se * se
	t.ae += ae
	dev := y - t.yMean
	t.yMean += dev / float64(t.n)
	t.yM2 += dev * (y - t.yMean)
}

// sd is the population standard deviation of the targets.
func (t *tally) sd() float64 { return math.Sqrt(t.yM2 / float64(t.n)) }

// interval counts the interval [lo, hi] of nominal coverage level; without one
// (NaN) it does nothing.
func (t *tally) interval(y, lo, hi, level float64) {
	if !finite(hi - lo) {
		return
	}
	t.inN++
	if lo <= y && y <= hi {
		t.hits++
	}
	t.width += hi - lo
	tail := (1 - level) / 2
	t.pinball += (pinball(y-lo, tail) + pinball(y-hi, 1-tail)) / 2
}

// region counts a joint region; without one (NaN) it does nothing.
func (t *tally) region(y, lo, hi []float64) {
	inside := int64(1)
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

// pinball is the quantile loss of order tau of the residual r = y - q.
func pinball(r, tau float64) float64 {
	if r < 0 {
		return (tau - 1) * r
	}
	return tau * r
}

// merge adds the samples of u (Chan, Golub and LeVeque for the variance).
func (t *tally) merge(u *tally) {
	if u.n == 0 {
		return
	}
	a, b := float64(t.n), float64(u.n)
	dev := u.yMean - t.yMean
	t.yM2 += u.yM2 + dev*dev*(a*b/(a+b))
	t.yMean += dev * (b / (a + b))
	t.n += u.n
	t.se += u.se
	t.se2 += u.se2
	t.ae += u.ae
	t.naiveSE += u.naiveSE
	t.naiveAE += u.naiveAE
	t.refN += u.refN
	t.refSE += u.refSE
	t.refOwnSE += u.refOwnSE
	t.inN += u.inN
	t.hits += u.hits
	t.width += u.width
	t.pinball += u.pinball
	t.jointN += u.jointN
	t.joint += u.joint
}

// base returns the scores that need no comparison, all others NaN.
func (t *tally) base() Score {
	nan := math.NaN()
	n := float64(t.n)
	mse := t.se / n
	return Score{
		N: t.n, MSE: mse, RMSE: math.Sqrt(mse), MAE: t.ae / n,
		SCVMSE: mse, SCVSD: math.Sqrt(max(0, t.se2/n-mse*mse)),
		NMSE: nan, MASE: nan, SkillVsNaive: nan, SkillVsVAR: nan,
		Coverage: nan, Width: nan, Pinball: nan, Joint: ratio(float64(t.joint), float64(t.jointN)),
	}
}

// ratio is a/b, or NaN when b is zero.
func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

func (t *tally) score() Score {
	s := t.base()
	s.NMSE = ratio(t.se, t.yM2)
	s.MASE = ratio(t.ae, t.naiveAE)
	s.SkillVsNaive = 1 - ratio(t.se, t.naiveSE)
	s.SkillVsVAR = 1 - ratio(t.refOwnSE, t.refSE)
	s.interval(t.inN, t.hits, t.width, t.pinball)
	return s
}

func (s *Score) interval(n, hits int64, width, pinball float64) {
	s.Coverage = ratio(float64(hits), float64(n))
	s.Width = ratio(width, float64(n))
	s.Pinball = ratio(pinball, float64(n))
}

// average collects the variables for the score over all of them.
type average struct {
	vars            int // that are not constant
	nmse, naiveSE   float64
	ae, naiveAE     float64
	refOwnSE, refSE float64
	inN, hits       int64
	width, pinball  float64
}

func (a *average) add(t *tally) {
	a.inN += t.inN
	a.hits += t.hits
	a.width += t.width
	a.pinball += t.pinball
	if t.n == 0 || t.yM2 == 0 {
		return
	}
	a.vars++
	n := float64(t.n)
	v := t.yM2 / n
	sd := math.Sqrt(v)
	a.nmse += t.se / t.yM2
	a.naiveSE += t.naiveSE / t.yM2
	a.ae += t.ae / n / sd
	a.naiveAE += t.naiveAE / n / sd
	if t.refN > 0 {
		a.refOwnSE += t.refOwnSE / float64(t.refN) / v
		a.refSE += t.refSE / float64(t.refN) / v
	}
}

func (a *average) score(all *tally) Score {
	s := all.base()
	s.NMSE = ratio(a.nmse, float64(a.vars))
	s.MASE = ratio(a.ae, a.naiveAE)
	s.SkillVsNaive = 1 - ratio(a.nmse, a.naiveSE)
	s.SkillVsVAR = 1 - ratio(a.refOwnSE, a.refSE)
	s.interval(a.inN, a.hits, a.width, a.pinball)
	return s
}

func (t *tally) state(c *snapshot.Codec) {
	for _, v := range [...]*int64{&t.n, &t.refN, &t.inN, &t.hits, &t.jointN, &t.joint} {
		c.Int64(v)
	}
	for _, v := range [...]*float64{
		&t.se, &t.se2, &t.ae, &t.yMean, &t.yM2, &t.naiveSE, &t.naiveAE,
		&t.refSE, &t.refOwnSE, &t.width, &t.pinball,
	} {
		c.Float64(v)
	}
}
