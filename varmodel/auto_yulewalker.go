package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// yuleWalker learns AR(q) for each coordinate on its own, on the features of
// ownLags: an intercept, the level, and the last q-1 increments. It solves the
// ridge regression with exponential forgetting in which the covariance matrix of
// the lagged increments is taken to be that of a stationary series: element (i, j)
// depends on |i - j| only, and differs from the sum over the samples by the few
// at either end. The sums then cost q instead of q^2 a sample, in time and in
// memory, and the weights q^2 instead of q^3 (see vec.Toeplitz), which is done now
// and then, for one group of coordinates after the other.
//
// All coordinates are computed side by side: a matrix here has a row for each lag,
// laid out like the rows of increments, and zeros or what does not matter in a few
// rows more, such that their number is a multiple of eight.
type yuleWalker struct {
	dim, lags  int // lags: increments among the features, q-1
	stride     int // from row to row
	width      int // elements that are taken at a time: a row, or several of few coordinates
	ridge      float64
	forgetting float64
	every      int // samples from one solution to the next, of each group, in the long run
	batch      int // samples whose products are added at a time, at most walkBatch

	count   int     // samples
	weight  float64 // of the next sample in the sums; grows instead of the sums shrinking
	due     []int   // count at which a group is solved next
	moments []float64
	sums    []float64 // matrix of y with the lags, then that of z with the lags
	waiting int       // samples whose products with the lags are not in the sums
	factors []float64 // of their lags, the last sample first: a row for y and one for z

	intercept, level []float64 // weights
	theta            []float64 // matrix of those of the lags

	dots   []float64 // scratch
	solver *vec.Toeplitz
}

// moments are the sums of one coordinate, of the increment y that follows and the level
// z; n counts.
const (
	sumCount = iota // n
	sumY            // y
	sumYY           // y^2
	sumZ            // z
	sumZZ           // z^2
	sumYZ           // y z
	momentKinds
)

// weightLimit is the weight of a sample at which all sums are divided by it.
const weightLimit = 1e6

// walkBatch is the number of samples whose products are added to the sums in one
// pass.
const walkBatch = 8

// walkDepth is the number of increments that AR(order) needs: its lags, filled up
// with lags of weight zero to whole registers, those of the samples that wait, and
// one for a sample that is not to be learnt.
func walkDepth(order int) int { return order + 7 + walkBatch }

func newYuleWalker(dim, order, every int, ridge, forgetting float64) *yuleWalker {
	lags, stride := order-1, strideOf(dim)
	width := max(stride, 8)
	matrix := (lags + 7) / 8 * 8 * stride // whole registers
	l := &yuleWalker{
		dim: dim, lags: lags, stride: stride, width: width,
		ridge: ridge, forgetting: forgetting, every: every, batch: walkBatch,
		weight:  1,
		due:     make([]int, (dim+vec.ToeplitzColumns-1)/vec.ToeplitzColumns),
		moments: make([]float64, dim*momentKinds),
		sums:    vec.Aligned(2 * matrix),
		factors: vec.Aligned(2 * walkBatch * width),

		intercept: make([]float64, dim), level: make([]float64, dim),
		theta: vec.Aligned(matrix),

		dots:   vec.Aligned(stride),
		solver: vec.NewToeplitz(lags, min(stride, vec.ToeplitzColumns)),
	}
	for g := range l.due {
		l.due[g] = 1 + g
	}
	return l
}

// weightsOf returns the weights of one coordinate: intercept, level, lags.
func (l *yuleWalker) weightsOf(j int) []float64 {
	w := []float64{l.intercept[j], l.level[j]}
	for i := range l.lags {
		w = append(w, l.theta[i*l.stride+j])
	}
	return w
}

// predictTo writes what the weights say of the sample after f, in typical steps.
func (l *yuleWalker) predictTo(y []float64, f *frame) {
	l.forecastTo(y, f.levels, f.recent.rows(0), f.scaler.perStep)
}

// forecastTo is predictTo with the given levels and increments, and the inverse of the
// typical steps.
func (l *yuleWalker) forecastTo(y, levels, recent, perStep []float64) {
	vec.ColumnDots(l.dots, l.theta, recent[:len(l.theta)])
	n := len(y)
	intercept, level, levels, perStep := l.intercept[:n], l.level[:n], levels[:n], perStep[:n]
	for j, v := range l.dots[:n] {
		y[j] = intercept[j] + level[j]*levels[j] + perStep[j]*v
	}
}

// learn learns y, the sample after f in typical steps.
func (l *yuleWalker) learn(y []float64, observed []bool, f *frame) {
	l.count++
	l.waiting++
	w, at := l.weight, (walkBatch-l.waiting)*2*l.width
	ofY, ofZ := l.factors[at:at+l.width], l.factors[at+l.width:at+2*l.width]
	levels, steps := f.levels[:len(y)], f.scaler.perStep[:len(y)]
	observed = observed[:len(y)]
	for j, v := range y {
		var fy, fz float64
		if observed[j] {
			s := (*[momentKinds]float64)(l.moments[j*momentKinds:])
			z, perStep := levels[j], steps[j]
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
	if l.stride < l.width { // one row makes several
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
	for g, due := range l.due {
		if l.count >= due {
			l.add(f.recent, 0)
			l.solve(g)
			l.due[g] = l.count + min(1+l.count*l.count/(256*256), l.every) // often while young
		}
	}
	if l.weight /= l.forgetting; l.weight > weightLimit {
		l.add(f.recent, 0)
		l.scale(1 / l.weight)
		l.weight = 1
	}
}

// add takes the lags of the samples that wait into the sums: those of the last one
// are the recent increments before the given number of samples, those of the others
// lie further back.
func (l *yuleWalker) add(recent *increments, back int) {
	vec.AddLagged(l.sums, l.factors[(walkBatch-l.waiting)*2*l.width:], recent.rows(back), l.width, l.stride)
	l.waiting = 0
}

// solve finds the weights of a group of coordinates. With T the Toeplitz matrix of
// the increments, B the sums of their products with intercept and level, and A those
// of the latter two, the normal equations are
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
	intercept, level := l.intercept[first:first+n], l.level[first:first+n]
	for j := range n {
		m := l.moments[(first+j)*momentKinds:]
		a00 := m[sumCount] + ridge - s.Products[0][j]
		a01 := m[sumZ] - s.Products[1][j]
		a11 := m[sumZZ] + ridge - s.Products[2][j]
		y0 := m[sumY] - s.Products[3][j]
		y1 := m[sumYZ] - s.Products[4][j]
		// With the true matrix the eigenvalues of what is left are at least the ridge.
		if low := (a00+a11)/2 - math.Hypot((a00-a11)/2, a01); low < ridge {
			a00 += ridge - low
			a11 += ridge - low
		}
		det := a00*a11 - a01*a01
		intercept[j] = (y0*a11 - y1*a01) / det
		level[j] = (y1*a00 - y0*a01) / det
	}
	for i := range l.lags {
		row := l.theta[i*l.stride+first:][:n]
		at := i * len(s.Power)
		one, z, y := s.X[0][at:at+n], s.X[1][at:at+n], s.X[2][at:at+n]
		for j := range row {
			row[j] = y[j] - intercept[j]*one[j] - level[j]*z[j]
		}
	}
}

func (l *yuleWalker) scale(by float64) {
	vec.Scale(by, l.moments)
	vec.Scale(by, l.sums)
}

// discount gives all samples so far the weight keep in (0, 1].
func (l *yuleWalker) discount(keep float64) {
	l.scale(keep)
	vec.Scale(keep, l.factors)
}

func (l *yuleWalker) State(c *snapshot.Codec) {
	c.Section("yulewalker")
	c.Int(&l.count)
	c.Float64(&l.weight)
	for g := range l.due {
		c.Int(&l.due[g])
	}
	for _, v := range [][]float64{l.intercept, l.level, l.theta, l.moments, l.sums, l.factors} {
		c.Float64s(v)
	}
	c.Index(&l.waiting, l.batch)
}
