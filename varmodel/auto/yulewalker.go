package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// yuleWalker learns AR(q) for each coordinate alone. Its features are those of frame.ownLagsTo: an intercept,
// the standardised value, and the last q-1 increments. The ridge regression with exponential forgetting treats
// the lagged increments as stationary: element (i, j) of their covariance matrix depends only on |i - j|, and
// differs from the sum over the samples by a few samples at either end. The sums then cost q instead of q^2 per
// sample, in time and memory, and the weights cost q^2 instead of q^3 (see vec.Toeplitz). One group of
// coordinates is solved at a time.
//
// All coordinates are computed side by side: a matrix has a row for each lag, laid out like the rows of
// increments. The number of rows is rounded up to a multiple of eight; additional rows of theta are zero,
// additional rows of sums are not used.
type yuleWalker struct {
	dim, lags  int // lags: increments among the features, q-1
	stride     int // elements from row to row
	width      int // elements processed at a time: one row, or several rows of few coordinates
	ridge      float64
	forgetting float64 // weight of a sample after one step
	every      int     // most samples between two solutions of a group
	batch      int     // samples whose products are added at a time, at most yuleWalkerBatch

	count   int       // samples
	weight  float64   // weight of the next sample in the sums; it grows instead of the sums shrinking
	due     []int     // for each group, the count at which it is solved next
	moments []float64 // for each coordinate, sumCount to sumYZ
	sums    []float64 // products of y with the lags, then products of z with the lags: two matrices
	waiting int       // samples whose products with the lags are not in the sums
	factors []float64 // factors of the lags of those samples, the last first: a row for y and one for z

	intercept, value []float64 // weights
	theta            []float64 // weights of the lags: a matrix

	dots   []float64     // scratch
	solver *vec.Toeplitz // of the Workspace: it holds nothing between two solutions
}

// The moments of one coordinate: sums over the samples, with y the next increment and z
// the standardised value.
const (
	sumCount = iota // n
	sumY            // y
	sumYY           // y^2
	sumZ            // z
	sumZZ           // z^2
	sumYZ           // y z
	momentKinds
)

// weightLimit is the weight of a sample at which all sums are divided by that weight.
const weightLimit = 1e6

// yuleWalkerBatch is the number of samples whose products are added to the sums in one
// pass.
const yuleWalkerBatch = 8

// yuleWalkerGrowth spreads solutions out: after n samples a group is solved every 1 + n/yuleWalkerGrowth
// samples, because solving takes most of the time in a young series.
const yuleWalkerGrowth = 64

// yuleWalkerDepth returns the number of increments that AR(order) needs: its lags, rounded up to whole registers
// with lags of weight zero, one per waiting sample, and one for a sample that is not learnt.
func yuleWalkerDepth(order int) int { return order + 7 + yuleWalkerBatch }

func newYuleWalker(dim, order, every int, ridge, forgetting float64, work *Workspace) *yuleWalker {
	lags, stride := order-1, strideOf(dim)
	width := max(stride, 8)
	matrix := (lags + 7) / 8 * 8 * stride // whole registers
	l := &yuleWalker{
		dim: dim, lags: lags, stride: stride, width: width,
		ridge: ridge, forgetting: forgetting, every: every, batch: yuleWalkerBatch,
		weight:  1,
		due:     make([]int, (dim+vec.ToeplitzColumns-1)/vec.ToeplitzColumns),
		moments: make([]float64, dim*momentKinds),
		sums:    vec.Aligned(2 * matrix),
		factors: vec.Aligned(2 * yuleWalkerBatch * width),

		intercept: make([]float64, dim), value: make([]float64, dim),
		theta: vec.Aligned(matrix),

		dots:   vec.Aligned(stride),
		solver: work.solver(lags, min(stride, vec.ToeplitzColumns)),
	}
	for g := range l.due {
		l.due[g] = 1 + g
	}
	return l
}

// weightsOf returns the weights of one coordinate: intercept, value, lags.
func (l *yuleWalker) weightsOf(j int) []float64 {
	w := []float64{l.intercept[j], l.value[j]}
	for i := range l.lags {
		w = append(w, l.theta[i*l.stride+j])
	}
	return w
}

// predictTo writes the predicted increments after f, in typical steps.
func (l *yuleWalker) predictTo(y []float64, f *frame) {
	l.forecastTo(y, f.lags, f.recent.rows(0), f.scaler.PerStep)
}

// forecastTo is predictTo with the given standardised values, increments, and inverse typical steps.
func (l *yuleWalker) forecastTo(y, values, recent, perStep []float64) {
	vec.ColumnDots(l.dots, l.theta, recent[:len(l.theta)])
	n := len(y)
	intercept, slope, values, perStep := l.intercept[:n], l.value[:n], values[:n], perStep[:n]
	for j, v := range l.dots[:n] {
		y[j] = intercept[j] + slope[j]*values[j] + perStep[j]*v
	}
}

// learn learns the increments y after f, in typical steps, and solves the groups that are due.
func (l *yuleWalker) learn(y []float64, observed []bool, f *frame) {
	l.take(y, observed, f)
	for g, due := range l.due {
		if l.count >= due {
			l.add(f.recent, 0)
			l.solve(g)
			l.due[g] = l.count + min(1+l.count/yuleWalkerGrowth, l.every)
		}
	}
}

// take adds the increments y after f to the sums.
func (l *yuleWalker) take(y []float64, observed []bool, f *frame) {
	l.count++
	l.waiting++
	w, at := l.weight, (yuleWalkerBatch-l.waiting)*2*l.width
	ofY, ofZ := l.factors[at:at+l.width], l.factors[at+l.width:at+2*l.width]
	values, steps := f.lags[:len(y)], f.scaler.PerStep[:len(y)]
	observed = observed[:len(y)]
	for j, v := range y {
		var fy, fz float64
		if observed[j] {
			s := (*[momentKinds]float64)(l.moments[j*momentKinds:])
			z, perStep := values[j], steps[j]
			wy, wz := w*v, w*z
			s[sumCount] += w
			s[sumY] += wy
			s[sumYY] += wy * v
			s[sumZ] += wz
			s[sumZZ] += wz * z
			s[sumYZ] += wy * z
			fy, fz = wy*perStep, wz*perStep
		}
		ofY[j], ofZ[j] = fy, fz
	}
	if l.stride < l.width { // a row is repeated to fill the width
		for j := range l.stride {
			fy, fz := ofY[j], ofZ[j]
			for i := j + l.stride; i < l.width; i += l.stride {
				ofY[i], ofZ[i] = fy, fz
			}
		}
	}
	if l.waiting >= l.batch {
		l.add(f.recent, 0)
	}
	if l.weight /= l.forgetting; l.weight > weightLimit {
		l.add(f.recent, 0)
		l.scale(1 / l.weight)
		l.weight = 1
	}
}

// solveNext makes all groups due with the next sample.
func (l *yuleWalker) solveNext() { clear(l.due) }

// add adds the products of the waiting samples to the sums. The lags of the last waiting sample are the rows of
// recent from back on.
func (l *yuleWalker) add(recent *increments, back int) {
	vec.AddLagged(l.sums, l.factors[(yuleWalkerBatch-l.waiting)*2*l.width:], recent.rows(back), l.width, l.stride)
	l.waiting = 0
}

// solve computes the weights of a group of coordinates. With T the Toeplitz matrix of
// the increments, A the moments of intercept and value, and B the sums of the products
// of the two with the increments, the normal equations are
//
//	[A B'] [u]   [a]
//	[B T ] [v] = [r]
//
// and T is solved for r and the columns of B.
func (l *yuleWalker) solve(g int) {
	first := g * vec.ToeplitzColumns
	n := min(l.dim-first, vec.ToeplitzColumns)
	s, ridge := l.solver, l.ridge*l.weight
	for j := range n {
		m := l.moments[(first+j)*momentKinds:]
		s.Power[j] = m[sumYY] + ridge
		s.Floor[j] = 1e-9 * s.Power[j]
		s.Constant[j] = m[sumY]
	}
	s.Solve(l.sums[len(l.sums)/2+first:], l.sums[first:], l.stride)
	intercept, slope := l.intercept[first:first+n], l.value[first:first+n]
	for j := range n {
		m := l.moments[(first+j)*momentKinds:]
		a00 := m[sumCount] + ridge - s.Products[0][j]
		a01 := m[sumZ] - s.Products[1][j]
		a11 := m[sumZZ] + ridge - s.Products[2][j]
		y0 := m[sumY] - s.Products[3][j]
		y1 := m[sumYZ] - s.Products[4][j]
		// The exact Schur complement has no eigenvalue below the ridge.
		if low := (a00+a11)/2 - math.Hypot((a00-a11)/2, a01); low < ridge {
			a00 += ridge - low
			a11 += ridge - low
		}
		det := a00*a11 - a01*a01
		intercept[j] = (y0*a11 - y1*a01) / det
		slope[j] = (y1*a00 - y0*a01) / det
	}
	for i := range l.lags {
		row := l.theta[i*l.stride+first:][:n]
		at := i * len(s.Power)
		one, z, y := s.X[0][at:at+n], s.X[1][at:at+n], s.X[2][at:at+n]
		for j := range row {
			row[j] = y[j] - intercept[j]*one[j] - slope[j]*z[j]
		}
	}
}

// scale multiplies all sums by a factor.
func (l *yuleWalker) scale(by float64) {
	vec.Scale(by, l.moments)
	vec.Scale(by, l.sums)
}

// discount multiplies the weight of all samples learnt so far by factor, in (0, 1].
func (l *yuleWalker) discount(factor float64) {
	l.scale(factor)
	vec.Scale(factor, l.factors)
}

func (l *yuleWalker) State(c *snapshot.Codec) {
	c.Section("yulewalker")
	c.Int(&l.count)
	c.Float64(&l.weight)
	for g := range l.due {
		c.Int(&l.due[g])
	}
	for _, v := range [][]float64{l.intercept, l.value, l.theta, l.moments, l.sums, l.factors} {
		c.Float64s(v)
	}
	c.Index(&l.waiting, l.batch)
}
