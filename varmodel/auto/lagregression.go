package auto

import (
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	lagReach     = 96                      // oldest lag among the inputs
	lagHarmonics = 3                       // harmonics of the season among the inputs
	lagRidge     = regression.DefaultRidge // penalty of the weights, see lagRegression.solve
	lagPooled    = 50                      // weight of all coordinates in the regression of one, in origins
	lagForget    = .9998                   // weight of an origin after the next one
	lagBatch     = 8                       // origins that are learnt at a time
	lagEvery     = 64                      // origins between two solutions in the long run …
	lagGrowth    = 16                      // … and at first one whenever their number has grown by a sixteenth
	lagFirst     = 3                       // samples after a break that are not learnt from: they have no lags
	lagRows      = 64                      // samples after which the rows move
)

// lagRegression forecasts each coordinate from its own past: for each of some horizons h a
// ridge regression of the increment x_{t+h} - x_t on
//
//	mean - x_t,  m_b - x_t,  s sin(k a_t),  s cos(k a_t),  k = 1 … lagHarmonics,
//
// where m_b is the mean of a block of lags, 1, 2, 3, 4, 5-6, 7-8, … lagReach, s the typical
// increment and a_t the phase of the season. There is no intercept: the forecast of a
// shifted series is shifted.
//
// All horizons share the inputs, so one factorisation per coordinate serves them. A sample
// is learnt from when all its targets are known. Forecasts between two of the horizons are
// on the straight line.
type lagRegression struct {
	dim    int
	steps  []int     // horizons with a regression: eight per doubling
	roots  []float64 // their square roots
	last   int       // the last of them
	edges  []int     // last lag of each block
	season int       // samples; 0: none
	waves  []float64 // season x 2 lagHarmonics: sine and cosine of each phase

	stride int // inputs, rounded up for the kernels
	width  int // elements from row to row

	rows  []float64 // samples, the newest first, with room for more before them
	seen  []bool    // of each element of rows: observed
	next  int       // index of the newest row
	known []bool    // of each coordinate: observed since the last break

	count   int // samples since the last break
	number  int // samples: the phase of the season is number mod season
	waiting int // origins that are not learnt
	origins int // origins learnt
	due     int // origins at which the weights are computed next

	gram     []*vec.Sym  // of each coordinate: products of the inputs
	products [][]float64 // of each coordinate, steps x stride: products of targets and inputs
	theta    [][]float64 // of each coordinate, steps x stride: weights
	weight   float64     // origins, with forgetting

	path    []float64 // last x dim: forecasts after the last sample
	scratch *lagScratch
}

// lagScratch is scratch memory that lag regressions of one shape share.
type lagScratch struct {
	pooled, sum    *vec.Sym
	pooledProducts []float64 // steps x stride
	solver         *vec.Cholesky
	inputs         []float64 // lagBatch x stride
	targets        []float64 // lagBatch x steps
	means          []float64 // lagBatch x blocks x width
	waves          [lagBatch][]float64
	increments     []float64   // steps x dim
	start          []float64   // last sample, moved on by the trend
	ones           []float64   // of each coordinate
	shares         [][]float64 // of each block: as many times 1/n as it has lags, n
}

// lagSteps returns the horizons with a regression; every anchor is among them.
func lagSteps(horizon int) []int {
	var steps []int
	for h, step := 1, 1; h < horizon; h += step {
		if h == 16*step {
			step *= 2
		}
		steps = append(steps, h)
	}
	return append(steps, horizon)
}

func newLagRegression(dim, horizon, season int, work *Workspace) *lagRegression {
	steps := lagSteps(horizon)
	l := &lagRegression{
		dim: dim, steps: steps, last: horizon, season: season,
		edges: append([]int{1}, anchors(lagReach)...), width: strideOf(dim),
		known: make([]bool, dim), path: lanes.Rows(horizon, dim),
	}
	for _, h := range steps {
		l.roots = append(l.roots, math.Sqrt(float64(h)))
	}
	l.stride = vec.Stride(1 + len(l.edges) + 2*lagHarmonics)
	n := l.depth() + lagRows
	l.rows, l.seen, l.next = vec.Aligned(n*l.width), make([]bool, n*l.width), lagRows*l.width
	for range dim {
		l.gram = append(l.gram, vec.NewSym(l.stride))
		l.products = append(l.products, make([]float64, len(steps)*l.stride))
		l.theta = append(l.theta, make([]float64, len(steps)*l.stride))
	}
	l.scratch = work.lagScratch(l)
	l.computeWaves()
	return l
}

// computeWaves sets waves for season.
func (l *lagRegression) computeWaves() {
	l.waves = make([]float64, max(1, l.season)*2*lagHarmonics)
	for phase := range l.season {
		waves := l.waves[2*lagHarmonics*phase:]
		for k := range lagHarmonics {
			turn := float64((k+1)*phase%l.season) / float64(l.season)
			waves[2*k], waves[2*k+1] = math.Sincos(2 * math.Pi * turn)
		}
	}
}

// depth is the number of samples that are kept.
func (l *lagRegression) depth() int { return l.last + lagBatch + lagReach }

// interrupt is for a break: the next sample does not follow the last one.
func (l *lagRegression) interrupt() {
	l.count, l.waiting = 0, 0
	clear(l.known)
}

// push appends the sample z, in which some coordinates may be filled.
func (l *lagRegression) Push(z []float64, observed []bool) {
	if l.next == 0 {
		size := (l.depth() - 1) * l.width // without the oldest
		l.next = len(l.rows) - size
		copy(l.rows[l.next:], l.rows[:size])
		copy(l.seen[l.next:], l.seen[:size])
	}
	l.next -= l.width
	copy(l.rows[l.next:], z)
	copy(l.seen[l.next:], observed)
	for j, known := range l.known {
		if !known && observed[j] { // it has never moved
			l.known[j] = true
			for i := l.next + j; i < len(l.rows); i += l.width {
				l.rows[i] = z[j]
			}
		}
	}
	l.count++
	l.number++
	if l.count > l.last+lagFirst {
		l.waiting++
	}
}

// learn learns the waiting origins when there are lagBatch of them. s are the statistics
// of the series after the last sample.
func (l *lagRegression) learn(s *series.Scaler) {
	if l.waiting < lagBatch {
		return
	}
	l.waiting = 0
	for i := range lagBatch {
		l.prepare(i, l.last+i)
	}
	c, n := l.scratch, len(l.steps)
	decay := math.Pow(lagForget, lagBatch)
	for j := range l.dim {
		for i := range lagBatch {
			l.exampleTo(c.inputs[i*l.stride:][:l.stride], c.targets[i*n:][:n], i, j, s)
		}
		l.gram[j].AddRows(decay, c.inputs)
		vec.Scale(decay, l.products[j])
		vec.AddOuters(l.products[j], c.targets, c.inputs, n, lagBatch, l.stride)
	}
	l.weight = decay*l.weight + lagBatch
	if l.origins += lagBatch; l.origins >= l.due {
		l.solve()
		l.due = l.origins + min(l.origins/lagGrowth, lagEvery)
	}
}

// exampleTo writes the inputs and targets of coordinate j at the origin that prepare had
// as number i, in typical increments. An origin far out counts less, one that is missing
// or lacks a quarter of its targets not at all.
func (l *lagRegression) exampleTo(phi, y []float64, i, j int, s *series.Scaler) {
	at := l.next + (l.last+i)*l.width + j
	x, missing := l.rows[at], 0
	var largest uint64 // bits of a number that is not negative: a maximum of integers has no NaN to care for
	for k, h := range l.steps {
		target := at - h*l.width
		y[k] = l.rows[target] - x
		if !l.seen[target] {
			missing++
		}
		largest = max(largest, math.Float64bits(math.Abs(y[k])/l.roots[k]))
	}
	if !l.seen[at] || 4*missing > len(l.steps) {
		clear(phi)
		clear(y)
		return
	}
	l.inputsTo(phi, i, j, x, s)
	unit := max(s.Steps[j], math.Float64frombits(largest)/regression.TargetLimit)
	largest = 0
	for _, v := range phi[:len(l.edges)+1] {
		largest = max(largest, math.Float64bits(math.Abs(v)))
	}
	unit = max(unit, math.Float64frombits(largest)*s.Steps[j]*s.Inverse[j]/series.InputLimit)
	vec.Scale(1/unit, phi)
	vec.Scale(1/unit, y)
}

// prepare computes the block means and finds the waves of the season at the given lag.
func (l *lagRegression) prepare(i, back int) {
	c, n := l.scratch, len(l.edges)*l.width
	means, rows := c.means[i*n:(i+1)*n], l.rows[l.next+(back+1)*l.width:]
	for b, shares := range c.shares {
		size := len(shares) * l.width
		vec.MatTVec(means[b*l.width:(b+1)*l.width], rows[:size], shares)
		rows = rows[size:]
	}
	phase := 0
	if l.season > 0 {
		phase = ((l.number-back)%l.season + l.season) % l.season
	}
	c.waves[i] = l.waves[2*lagHarmonics*phase:][:2*lagHarmonics]
}

// inputsTo writes the inputs of coordinate j with the value x at the origin that prepare
// had as number i.
func (l *lagRegression) inputsTo(phi []float64, i, j int, x float64, s *series.Scaler) {
	c, n := l.scratch, len(l.edges)
	phi[0] = s.Mean[j] - x
	means := c.means[i*n*l.width+j:]
	for b := range n {
		phi[1+b] = means[b*l.width] - x
	}
	for k, v := range c.waves[i] {
		phi[1+n+k] = v * s.Steps[j]
	}
}

// solve computes the weights. To the normal equations of each coordinate are added those
// of all coordinates with a ridge, as if these had lagPooled origins: where a coordinate
// has learnt little, it behaves like the others.
func (l *lagRegression) solve() {
	c := l.scratch
	c.pooled.SetIdentity(0)
	clear(c.pooledProducts)
	for j, g := range l.gram {
		c.pooled.Add(1, g)
		vec.Axpy(1, l.products[j], c.pooledProducts)
	}
	share := lagPooled / (l.weight * float64(l.dim))
	for j, g := range l.gram {
		c.sum.SetIdentity(0)
		c.sum.Add(1, g)
		c.sum.Add(share, c.pooled)
		if !c.solver.Factor(c.sum, share*lagRidge, 1e-9) { // only after overflow
			g.SetIdentity(0)
			clear(l.products[j])
			continue
		}
		copy(l.theta[j], l.products[j])
		vec.Axpy(share, c.pooledProducts, l.theta[j])
		c.solver.Solve(l.theta[j])
	}
}

// predict computes the forecasts after the last sample for all horizons, last x dim; ahead returns how
// far the trends of the series move in so many steps, nil: nowhere.
func (l *lagRegression) predict(s *series.Scaler, ahead func(h int) []float64) {
	l.prepare(0, 0)
	c, last := l.scratch, l.rows[l.next:][:l.dim]
	phi, out := c.inputs[:l.stride], c.targets[:len(l.steps)]
	clear(phi)
	for j, x := range last {
		l.inputsTo(phi, 0, j, x, s)
		vec.MatVec(out, l.theta[j], phi)
		for k, v := range out {
			c.increments[k*l.dim+j] = v
		}
	}
	for k, h := range l.steps { // ascending: a kernel stores whole registers
		move := ahead(h)
		copy(c.start, last)
		for j, v := range move {
			c.start[j] += v
		}
		s.Bound(l.path[(h-1)*l.dim:h*l.dim], c.increments[k*l.dim:(k+1)*l.dim], last, c.ones[:l.dim], c.start, regression.OutputLimit*l.roots[k], move)
	}
	left := 1
	for _, h := range l.steps {
		a, b := l.path[(left-1)*l.dim:left*l.dim], l.path[(h-1)*l.dim:h*l.dim]
		for i := left + 1; i < h; i++ {
			share := float64(i-left) / float64(h-left)
			for j, v := range a {
				l.path[(i-1)*l.dim+j] = v + share*(b[j]-v)
			}
		}
		left = h
	}
}

// renewLags gives the lag regression the samples as the remainder is now, but the given
// number of newest ones. It keeps what it has learnt of the same season, else it learns
// all samples that are kept.
func (s *autoSeries) renewLags(newest int) {
	o, f := s.multihorizon, s.rest()
	z := make([]float64, s.m.cfg.Dim)
	kept := min(s.past.Count, s.past.Depth)
	old, l := o.lags, newLagRegression(len(z), o.horizon, o.season, s.m.work)
	keep := old.season == l.season && old.origins > 0
	if keep {
		kept = min(kept, l.depth())
	}
	for lag := kept - 1; lag >= newest; lag-- {
		if clear(z); s.remainder != nil {
			s.seasons.to(z, -lag)
		}
		for j, v := range s.past.Lag(lag) {
			z[j] = v - z[j]
		}
		if l.Push(z, s.past.ObservedAt(lag)); !keep {
			l.learn(f.scaler)
		}
	}
	if keep {
		l.gram, l.products, l.theta, l.weight = old.gram, old.products, old.theta, old.weight
		l.number, l.waiting, l.origins, l.due = old.number, old.waiting, old.origins, old.due
	}
	o.lags = l
}

// discount multiplies the weight of all origins learnt so far by factor, in (0, 1].
func (l *lagRegression) discount(factor float64) {
	for j, g := range l.gram {
		g.Scale(factor)
		vec.Scale(factor, l.products[j])
	}
	l.weight *= factor
}

func (l *lagRegression) State(c *snapshot.Codec) {
	c.Section("lagregression")
	c.Float64s(l.rows[l.next:][:l.depth()*l.width])
	for i := range l.depth() * l.width {
		c.Bool(&l.seen[l.next+i])
	}
	for j := range l.known {
		c.Bool(&l.known[j])
	}
	for _, v := range []*int{&l.count, &l.number, &l.origins, &l.due} {
		c.Int(v)
	}
	c.Index(&l.waiting, lagBatch)
	if c.Index(&l.season, check.MaxPeriod+1); c.Decoding() {
		l.computeWaves()
	}
	c.Float64(&l.weight)
	c.Float64s(l.path)
	for j, g := range l.gram {
		g.State(c)
		c.Float64s(l.products[j])
		c.Float64s(l.theta[j])
	}
}
