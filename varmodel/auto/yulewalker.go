package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// yuleWalker is a Yule-Walker autoregression AR(q) of each coordinate on its own past. The features are those of
// frame.ownLagsTo: intercept, standardised value, and the last q-1 increments. The method is a ridge regression with
// exponential forgetting that treats the increments as stationary. Element (i, j) of their covariance matrix then
// depends only on |i - j|; it differs from the sum over the samples by a few samples at either end. The sums cost O(q)
// instead of O(q^2) per sample, in time and memory. The weights cost O(q^2) instead of O(q^3), see vec.Toeplitz. One
// group of coordinates is solved at a time.
//
// All coordinates are computed together. A matrix has one row per lag, with the layout of the rows of increments. The
// number of rows is rounded up to a multiple of eight. Invariant: additional rows of theta are 0. Additional rows of
// sums are unused.
type yuleWalker struct {
	dim, lags  int // dim: coordinates; lags: increments among the features, q-1
	stride     int // elements from row to row
	width      int // elements per kernel step: one row, or several rows of few coordinates
	ridge      float64
	forgetting float64 // weight of a sample after one step
	every      int     // largest number of samples between two solutions of a group
	batch      int     // samples per update of sums, at most yuleWalkerBatch

	count   int       // samples
	weight  float64   // weight of the next sample in the sums; the weight grows, so that the sums need not be scaled down
	due     []int     // groups: count at which the group is solved next
	moments []float64 // dim x momentKinds: sumCount to sumYZ
	sums    []float64 // two matrices: sums of the products of y with the lags, and of z with the lags
	waiting int       // samples whose products with the lags are not in the sums yet
	factors []float64 // factors of the lags of the waiting samples, last sample first: a row for y and a row for z each

	intercept, value []float64 // weights
	theta            []float64 // matrix: weights of the lags

	dots   []float64     // scratch
	solver *vec.Toeplitz // solver of the Workspace; holds no state between two solutions
}

// Moments of one coordinate: weighted sums over the samples, where y is the next increment and z is the standardised
// value.
const (
	sumCount = iota // n
	sumY            // y
	sumYY           // y^2
	sumZ            // z
	sumZZ           // z^2
	sumYZ           // y z
	momentKinds
)

// weightLimit is the largest weight of a sample. Beyond it, all sums are divided by the weight.
const weightLimit = 1e6

// yuleWalkerBatch is the largest number of samples whose products are added to the sums in one pass.
const yuleWalkerBatch = 8

// yuleWalkerGrowth sets the distance between solutions: 1 + n/yuleWalkerGrowth samples after n samples. Solving takes
// most of the time in a young series.
const yuleWalkerGrowth = 64

// yuleWalkerDepth returns the number of increments that AR(order) needs: the lags, rounded up to whole registers with
// lags of weight 0; one increment per waiting sample; and one increment for a sample that is not learnt.
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

// weightsOf returns the weights of coordinate j: intercept, value, then lags.
func (l *yuleWalker) weightsOf(j int) []float64 {
	w := []float64{l.intercept[j], l.value[j]}
	for i := range l.lags {
		w = append(w, l.theta[i*l.stride+j])
	}
	return w
}

// predictTo writes the predicted increments after f, in typical steps, dim.
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

// learn adds the increments y after f, in typical steps, to the sums, and solves the groups that are due.
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
	if l.stride < l.width { // repeat the row to fill the width
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

// solveNext makes all groups due at the next sample.
func (l *yuleWalker) solveNext() { clear(l.due) }

// add adds the products of the waiting samples to the sums. The rows of recent from lag back on are the lags of the
// last waiting sample.
func (l *yuleWalker) add(recent *increments, back int) {
	vec.AddLagged(l.sums, l.factors[(yuleWalkerBatch-l.waiting)*2*l.width:], recent.rows(back), l.width, l.stride)
	l.waiting = 0
}

// solve computes the weights of group g of coordinates. Let T be the Toeplitz matrix of the increments, A the moments
// of intercept and value, and B the sums of their products with the increments. The normal equations are
//
//	[A B'] [u]   [a]
//	[B T ] [v] = [r]
//
// The order is at most 1 + the number of samples, because lags from before the series have no products. T is solved for
// r and the columns of B; then u follows from the Schur complement A - B' T^-1 B.
func (l *yuleWalker) solve(g int) {
	first := g * vec.ToeplitzColumns
	n := min(l.dim-first, vec.ToeplitzColumns)
	s, ridge, lags := l.solver, l.ridge*l.weight, min(l.lags, 1+l.count)
	s.SetOrder(lags)
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
	for i := range lags {
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
