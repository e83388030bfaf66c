package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	lagReach     = 96                      // longest lag among the inputs
	lagHarmonics = 3                       // harmonics of the season among the inputs
	lagRidge     = regression.DefaultRidge // ridge of the pooled equations, see lagRegression.solve
	lagPooled    = 50                      // weight of all coordinates together in the regression of one coordinate, in origins
	lagForget    = .9998                   // weight of an origin after the next origin
	lagBatch     = 8                       // origins per update of the sums
	lagSteps     = 8                       // steps of the longest horizon of a group per unit of thinning, see lagGroup.thin
	lagThin      = 4                       // largest thinning
	lagYoung     = 512                     // a group with fewer origins is not thinned
	lagEvery     = 64                      // largest number of origins between two solutions
	lagGrowth    = 16                      // the next solution comes after min(origins / lagGrowth, lagEvery) origins
	lagMost      = 8                       // largest number of horizons per group
	lagFirst     = 3                       // first samples after a break, which are not origins because they lack lags
	lagRows      = 64                      // samples between two moves of the rows
)

// lagRegression forecasts each coordinate from its own past. Each of several horizons h has a ridge regression of the
// increment x_{t+h} - x_t on
//
//	mean - x_t,  m_b - x_t,  s sin(k a_t),  s cos(k a_t),  k = 1 … lagHarmonics,
//
// where m_b is the mean of a block b of lags (1, 2, 3, 4, 5-6, 7-8, … lagReach), s is the typical increment, and a_t
// is the angle of the season. There is no intercept, so a shift of the series shifts its forecasts.
//
// The horizons of a doubling form a group. The horizons of a group share the inputs, and learn from an origin when all
// their targets are known. They therefore share one factorisation per coordinate. Forecasts between two horizons are
// interpolated linearly.
type lagRegression struct {
	dim     int
	horizon int       // longest forecast horizon, an anchor
	last    int       // longest horizon of the groups, a power of two
	roots   []float64 // square roots of the horizons of all groups
	edges   []int     // last lag of each block
	season  int       // samples; 0: none
	waves   []float64 // season x 2 lagHarmonics: sines and cosines of each phase

	stride int // number of inputs, rounded up for the kernels
	width  int // elements from row to row

	rows  []float64 // samples, newest first, after free space for later rows
	seen  []bool    // for each element of rows: true if observed
	next  int       // index of the newest row in rows
	known []bool    // dim: true if the coordinate was observed since the last break

	count  int // samples since the last break
	number int // samples in total; phase of the season = number mod season
	groups []*lagGroup

	path    []float64 // horizon x dim: forecasts from the last sample
	scratch *lagScratch
}

// lagGroup holds the regressions of the horizons of one doubling.
type lagGroup struct {
	steps   []int // horizons, ascending
	first   int   // index of steps[0] among the horizons of all groups
	last    int   // longest horizon of the group
	waiting int   // origins with known targets that are not learnt yet
	origins int   // number of origins learnt
	due     int   // number of origins at which the weights are computed next

	gram     []*vec.Sym  // dim: sums of the products of the inputs
	products [][]float64 // dim, steps x stride each: sums of the products of targets and inputs
	theta    [][]float64 // dim, steps x stride each: weights
	weight   float64     // number of origins in the sums, with forgetting
}

// lagScratch is scratch memory, shared by all lag regressions with the same shape.
type lagScratch struct {
	pooled, sum    *vec.Sym
	pooledProducts []float64 // steps x stride
	solver         *vec.Cholesky
	inputs         []float64 // lagBatch x stride
	targets        []float64 // lagBatch x steps
	means          []float64 // lagBatch x blocks x width
	waves          [lagBatch][]float64
	increments     []float64   // steps x dim
	start          []float64   // dim: last sample plus trend
	ones           []float64   // dim: ones
	shares         [][]float64 // for each block of n lags: n times 1/n
}

// newLagGroups returns groups for the horizons from 1 to the smallest power of two >= max(4, horizon).
func newLagGroups(dim, horizon, stride int) (groups []*lagGroup) {
	first := 0
	for h, last := 1, 4; ; last *= 2 {
		g := &lagGroup{first: first, last: last}
		for step := max(1, last/16); h <= last; h += step {
			g.steps = append(g.steps, h)
		}
		for range dim {
			g.gram = append(g.gram, vec.NewSym(stride))
			g.products = append(g.products, make([]float64, len(g.steps)*stride))
			g.theta = append(g.theta, make([]float64, len(g.steps)*stride))
		}
		groups, first = append(groups, g), first+len(g.steps)
		if last >= horizon {
			return groups
		}
		h = last + max(1, last/8)
	}
}

func newLagRegression(dim, horizon, season int, work *Workspace) *lagRegression {
	l := &lagRegression{
		dim: dim, horizon: horizon, season: season, edges: append([]int{1}, anchors(lagReach)...), width: strideOf(dim),
		known: make([]bool, dim),
	}
	l.stride = vec.Stride(1 + len(l.edges) + 2*lagHarmonics)
	l.groups = newLagGroups(dim, horizon, l.stride)
	l.last = l.groups[len(l.groups)-1].last
	l.path = lanes.Rows(horizon, dim)
	for _, g := range l.groups {
		for _, h := range g.steps {
			l.roots = append(l.roots, math.Sqrt(float64(h)))
		}
	}
	n := l.depth() + lagRows
	l.rows, l.seen, l.next = vec.Aligned(n*l.width), make([]bool, n*l.width), lagRows*l.width
	l.scratch = work.lagScratch(l)
	l.computeWaves()
	return l
}

// computeWaves sets l.waves for l.season.
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

// depth returns the number of samples in l.rows.
func (l *lagRegression) depth() int { return l.last + lagBatch*thinLags(l.last) + lagReach }

// thin returns n: the group learns one origin in n, with the weight of n origins, because the outcomes of long horizons
// are correlated. A young group learns all origins.
func (g *lagGroup) thin() int {
	if g.origins < lagYoung {
		return 1
	}
	return thinLags(g.last)
}

// thinLags returns the thinning of a group whose longest horizon is last.
func thinLags(last int) int { return max(1, min(last/lagSteps, lagThin)) }

// interrupt handles a break: the next sample does not follow the last one.
func (l *lagRegression) interrupt() {
	l.count = 0
	for _, g := range l.groups {
		g.waiting = 0
	}
	clear(l.known)
}

// Push appends the sample z, dim. Coordinates that were not observed hold a filled-in value.
func (l *lagRegression) Push(z []float64, observed []bool) {
	if l.next == 0 {
		size := (l.depth() - 1) * l.width // the oldest sample is dropped
		l.next = len(l.rows) - size
		copy(l.rows[l.next:], l.rows[:size])
		copy(l.seen[l.next:], l.seen[:size])
	}
	l.next -= l.width
	copy(l.rows[l.next:], z)
	copy(l.seen[l.next:], observed)
	for j, known := range l.known {
		if !known && observed[j] { // fill the past with the first value
			l.known[j] = true
			for i := l.next + j; i < len(l.rows); i += l.width {
				l.rows[i] = z[j]
			}
		}
	}
	l.count++
	l.number++
	for _, g := range l.groups {
		if l.count > g.last+lagFirst {
			g.waiting++
		}
	}
}

// learn updates each group with enough waiting origins for lagBatch thinned origins. s holds the statistics of the
// series after the last sample.
func (l *lagRegression) learn(s *series.Scaler) {
	for _, g := range l.groups {
		if thin := g.thin(); g.waiting >= lagBatch*thin {
			g.waiting = 0
			l.learnGroup(g, thin, s)
		}
	}
}

// learnGroup updates g with lagBatch origins, thin samples apart.
func (l *lagRegression) learnGroup(g *lagGroup, thin int, s *series.Scaler) {
	for i := range lagBatch {
		l.prepare(i, g.last+i*thin)
	}
	c, n := l.scratch, len(g.steps)
	inputs, targets := c.inputs, c.targets[:lagBatch*n]
	origins := lagBatch * thin
	decay := math.Pow(lagForget, float64(origins))
	for j := range l.dim {
		for i := range lagBatch {
			l.exampleTo(inputs[i*l.stride:][:l.stride], targets[i*n:][:n], g, i, j, thin, s)
		}
		g.gram[j].AddRows(decay, inputs)
		vec.Scale(decay, g.products[j])
		vec.AddOuters(g.products[j], targets, inputs, n, lagBatch, l.stride)
	}
	g.weight = decay*g.weight + float64(origins)
	if g.origins += origins; g.origins >= g.due {
		l.solve(g)
		g.due = g.origins + min(g.origins/lagGrowth, lagEvery)
	}
}

// exampleTo writes the inputs phi (stride) and the targets y (steps) of coordinate j at the i-th prepared origin, in
// typical increments, times sqrt(thin). Large inputs or targets scale the whole origin down. Inputs and targets are 0 if
// the origin was not observed, or if more than a quarter of its targets are missing.
func (l *lagRegression) exampleTo(phi, y []float64, g *lagGroup, i, j, thin int, s *series.Scaler) {
	at := l.next + (g.last+i*thin)*l.width + j
	x, missing := l.rows[at], 0
	var largest uint64 // bits of a float64 >= 0: they order like the numbers, and integers need no check for NaN
	for k, h := range g.steps {
		target := at - h*l.width
		y[k] = l.rows[target] - x
		if !l.seen[target] {
			missing++
		}
		largest = max(largest, math.Float64bits(math.Abs(y[k])/l.roots[g.first+k]))
	}
	if !l.seen[at] || 4*missing > len(g.steps) {
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
	share := math.Sqrt(float64(thin)) / unit
	vec.Scale(share, phi)
	vec.Scale(share, y)
}

// prepare computes the block means and waves of the i-th prepared origin, which is the sample at lag back.
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

// inputsTo writes the inputs of coordinate j at the i-th prepared origin. x is the value of the coordinate there.
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

// solve computes the weights of a group. Coordinate j solves
//
//	(gram_j + share (sum_i gram_i + lagRidge I)) theta = products_j + share sum_i products_i,
//
// where share gives the sums over all coordinates the weight of lagPooled origins. A coordinate with few origins
// therefore behaves like the others.
func (l *lagRegression) solve(g *lagGroup) {
	c := l.scratch
	c.pooled.SetIdentity(0)
	pooled := c.pooledProducts[:len(g.products[0])]
	clear(pooled)
	for j, gram := range g.gram {
		c.pooled.Add(1, gram)
		vec.Axpy(1, g.products[j], pooled)
	}
	share := lagPooled / (g.weight * float64(l.dim))
	for j, gram := range g.gram {
		c.sum.SetIdentity(0)
		c.sum.Add(1, gram)
		c.sum.Add(share, c.pooled)
		if !c.solver.Factor(c.sum, share*lagRidge, 1e-9) { // only after overflow
			gram.SetIdentity(0)
			clear(g.products[j])
			continue
		}
		copy(g.theta[j], g.products[j])
		vec.Axpy(share, pooled, g.theta[j])
		c.solver.Solve(g.theta[j])
	}
}

// predict sets l.path to the forecasts from the last sample. ahead returns the increments of the trends over h steps,
// dim; nil: no trend.
func (l *lagRegression) predict(s *series.Scaler, ahead func(h int) []float64) {
	l.prepare(0, 0)
	c, last := l.scratch, l.rows[l.next:][:l.dim]
	phi := c.inputs[:l.stride]
	clear(phi)
	for j, x := range last {
		l.inputsTo(phi, 0, j, x, s)
		for _, g := range l.groups {
			out := c.targets[:len(g.steps)]
			vec.MatVec(out, g.theta[j], phi)
			for k, v := range out {
				c.increments[(g.first+k)*l.dim+j] = v
			}
		}
	}
	left := 1
	for _, g := range l.groups {
		for k, h := range g.steps { // ascending: a kernel stores whole registers
			if h > l.horizon {
				return
			}
			move := ahead(h)
			copy(c.start, last)
			for j, v := range move {
				c.start[j] += v
			}
			k += g.first
			s.Bound(l.path[(h-1)*l.dim:h*l.dim], c.increments[k*l.dim:(k+1)*l.dim], last, c.ones[:l.dim], c.start, regression.OutputLimit*l.roots[k], move)
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
}

// renewLags replaces the lag regression after a change of the remainder. The new regression gets the remainder of the
// samples in the past, without the given number of newest samples. If the season is the same, the new regression takes
// over the sums and weights; else it learns the samples again.
func (s *autoSeries) renewLags(newest int) {
	o, f := s.multihorizon, s.rest()
	z := make([]float64, s.m.cfg.Dim)
	kept := min(s.past.Count, s.past.Depth)
	old, l := o.lags, newLagRegression(len(z), o.horizon, o.season, s.m.work)
	keep := old.season == l.season && old.groups[0].origins > 0
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
		l.groups, l.number = old.groups, old.number
	}
	o.lags = l
}

// discount multiplies the weight of all origins learnt so far by factor, in (0, 1].
func (l *lagRegression) discount(factor float64) {
	for _, g := range l.groups {
		for j, gram := range g.gram {
			gram.Scale(factor)
			vec.Scale(factor, g.products[j])
		}
		g.weight *= factor
	}
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
	c.Int(&l.count)
	c.Int(&l.number)
	if c.Index(&l.season, check.MaxPeriod+1); c.Decoding() {
		l.computeWaves()
	}
	c.Float64s(l.path)
	for _, g := range l.groups {
		g.State(c)
	}
}

func (g *lagGroup) State(c *snapshot.Codec) {
	c.Int(&g.origins)
	c.Int(&g.due)
	c.Index(&g.waiting, lagBatch*lagThin)
	c.Float64(&g.weight)
	for j, gram := range g.gram {
		gram.State(c)
		c.Float64s(g.products[j])
		c.Float64s(g.theta[j])
	}
}
