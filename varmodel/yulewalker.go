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
// memory, and the weights q^2 instead of q^3 (Levinson 1946), which is done now
// and then, for one coordinate after the other.
type yuleWalker struct {
	dim, lags  int // lags: increments among the features, q-1
	ridge      float64
	forgetting float64
	every      int // samples from one solution to the next, of each coordinate, in the long run
	batch      int // samples whose products are added at a time, at most walkBatch

	count   int     // samples
	weight  float64 // of the next sample in the sums; grows instead of the sums shrinking
	due     []int   // count at which a coordinate is solved next
	theta   []float64
	sums    []float64 // dim x (sumLags + 2 lags)
	waiting int       // samples whose products with the lags are not in the sums
	factors []float64 // of their lags, dim x 2 x walkBatch

	forward, backward, copied, reversed, one, level []float64 // scratch
}

// Sums of one coordinate, of the increment y that follows, the level z, and the
// increments x_1, x_2, … before y; n counts.
const (
	sumCount = iota // n
	sumY            // y
	sumYY           // y^2
	sumZ            // z
	sumZZ           // z^2
	sumYZ           // y z
	sumLags         // y x_i, then z x_i
)

// weightLimit is the weight of a sample at which all sums are divided by it.
const weightLimit = 1e6

// walkBatch is the number of samples whose products are added to the sums in one
// pass.
const walkBatch = 8

func newYuleWalker(dim, order, every int, ridge, forgetting float64) *yuleWalker {
	lags := order - 1
	l := &yuleWalker{
		dim: dim, lags: lags, ridge: ridge, forgetting: forgetting, every: every, batch: walkBatch,
		weight:  1,
		due:     make([]int, dim),
		theta:   make([]float64, dim*(lags+2)),
		sums:    make([]float64, dim*(sumLags+2*lags)),
		factors: make([]float64, dim*2*walkBatch),
	}
	v := make([]float64, 6*(lags+1))
	part := func(i int) []float64 { return v[i*(lags+1) : (i+1)*(lags+1)] }
	l.forward, l.backward, l.copied = part(0), part(1), part(2)
	l.reversed, l.one, l.level = part(3), part(4), part(5)
	for j := range l.due {
		l.due[j] = 1 + j
	}
	return l
}

func (l *yuleWalker) weightsOf(j int) []float64 {
	return l.theta[j*(l.lags+2) : (j+1)*(l.lags+2)]
}

// predictTo writes what the weights say of the sample after f, in typical steps.
func (l *yuleWalker) predictTo(y []float64, f *frame) {
	for j := range y {
		theta := l.weightsOf(j)
		y[j] = theta[0] + theta[1]*f.levels[j] + f.scaler.perStep[j]*vec.Dot(theta[2:], f.recent.of(j, l.lags))
	}
}

// learn learns y, the sample after f in typical steps.
func (l *yuleWalker) learn(y []float64, observed []bool, f *frame) {
	l.count++
	w := l.weight
	n, at := sumLags+2*l.lags, l.waiting
	levels, steps := f.levels[:len(y)], f.scaler.perStep[:len(y)]
	observed = observed[:len(y)]
	for j, v := range y {
		factors := (*[2 * walkBatch]float64)(l.factors[j*2*walkBatch:])
		if !observed[j] {
			factors[at], factors[walkBatch+at] = 0, 0
			continue
		}
		s := (*[sumLags]float64)(l.sums[j*n:])
		z, perStep := levels[j], steps[j]
		wy, wz := w*v, w*z
		s[sumCount] += w
		s[sumY] += wy
		s[sumYY] += wy * v
		s[sumZ] += wz
		s[sumZZ] += wz * z
		s[sumYZ] += wy * z
		factors[at], factors[walkBatch+at] = wy*perStep, wz*perStep
	}
	if l.waiting++; l.waiting >= l.batch {
		l.add(f.recent, 0)
	}
	for j, due := range l.due {
		if l.count >= due {
			l.add(f.recent, 0)
			l.solve(j)
			l.due[j] = l.count + min(1+l.count*l.count/(256*256), l.every) // often while young
		}
	}
	if l.weight /= l.forgetting; l.weight > weightLimit {
		l.add(f.recent, 0)
		vec.Scale(1/l.weight, l.sums)
		l.weight = 1
	}
}

// add takes the lags of the samples that wait into the sums: those of the last one
// are the recent increments before the given number of samples, those of the others
// lie further back.
func (l *yuleWalker) add(recent *increments, back int) {
	k := l.waiting
	if k == 0 {
		return
	}
	l.waiting = 0
	for j := range l.dim {
		x := recent.of(j, back+l.lags+k-1)[back:]
		vec.AddConvolution(l.sumsOf(j)[sumLags:], l.factors[j*2*walkBatch:(j+1)*2*walkBatch], x, 2, k)
	}
}

func (l *yuleWalker) sumsOf(j int) []float64 {
	n := sumLags + 2*l.lags
	return l.sums[j*n : (j+1)*n]
}

// solve finds the weights of one coordinate. With T the Toeplitz matrix of the
// increments, B the sums of their products with intercept and level, and A those
// of the latter two, the normal equations are
//
//	[A B'] [u]   [a]
//	[B T ] [v] = [r]
//
// and T is solved for r and the columns of B.
func (l *yuleWalker) solve(j int) {
	s, q := l.sumsOf(j), l.lags
	ridge := l.ridge * l.weight
	r, g := s[sumLags:sumLags+q], s[sumLags+q:]
	f, b, old, reversed := l.forward, l.backward, l.copied, l.reversed[:q]
	one, level := l.one[:q], l.level[:q]
	clear(f)
	clear(b)
	for i, v := range r {
		reversed[q-1-i] = v // the autocovariance at lag 1 is last
	}
	theta := l.weightsOf(j)
	power := s[sumYY] + ridge
	floor := 1e-9 * power
	f[0], b[q] = 1, 1
	n := 0
	for ; n < q && power > floor; n++ {
		// f and b, of n+1 elements, solve T f = (power, 0, …) and T b = (0, …, power).
		last := b[q-n:]
		c := reversed[q-n:] // autocovariances n, …, 1
		k := (s[sumY] - vec.Dot(c, one[:n])) / power
		one[n] = 0
		vec.Axpy(k, last, one[:n+1])
		k = (g[n] - vec.Dot(c, level[:n])) / power
		level[n] = 0
		vec.Axpy(k, last, level[:n+1])

		k = -vec.Dot(reversed[q-1-n:], f[:n+1]) / power
		copy(old, f[:n+2])
		vec.Axpy(k, b[q-1-n:], f[:n+2])
		vec.Axpy(k, old[:n+2], b[q-1-n:])
		power *= 1 - k*k
	}
	// f is now (1, -v) of the increments alone.
	v := theta[2 : 2+n]
	clear(theta[2+n:])
	for i := range v {
		v[i] = -f[1+i]
	}
	one, level, g = one[:n], level[:n], g[:n]
	var sumOne, sumLevel, sumV float64
	for i, o := range one {
		sumOne += o
		sumLevel += level[i]
		sumV += v[i]
	}
	h := s[sumY]
	a00 := s[sumCount] + ridge - h*sumOne
	a01 := s[sumZ] - h*sumLevel
	a11 := s[sumZZ] + ridge - vec.Dot(g, level)
	y0 := s[sumY] - h*sumV
	y1 := s[sumYZ] - vec.Dot(g, v)
	// With the true matrix the eigenvalues of what is left are at least the ridge.
	if low := (a00+a11)/2 - math.Hypot((a00-a11)/2, a01); low < ridge {
		a00 += ridge - low
		a11 += ridge - low
	}
	det := a00*a11 - a01*a01
	theta[0] = (y0*a11 - y1*a01) / det
	theta[1] = (y1*a00 - y0*a01) / det
	vec.Axpy(-theta[0], one, v)
	vec.Axpy(-theta[1], level, v)
}

// discount gives all samples so far the weight keep in (0, 1].
func (l *yuleWalker) discount(keep float64) {
	vec.Scale(keep, l.sums)
	vec.Scale(keep, l.factors)
}

func (l *yuleWalker) State(c *snapshot.Codec) {
	c.Section("yulewalker")
	c.Int(&l.count)
	c.Float64(&l.weight)
	for j := range l.due {
		c.Int(&l.due[j])
	}
	c.Float64s(l.theta)
	c.Float64s(l.sums)
	c.Index(&l.waiting, l.batch)
	c.Float64s(l.factors)
}
