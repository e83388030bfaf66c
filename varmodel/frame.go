package varmodel

// frame is a series at one time: what the experts look at, computed once for all
// of them.
type frame struct {
	scaler *scaler
	local  *localMean
	past   history
	recent *increments // those before the last sample of past; nil: taken from it
	long   []float64   // increments that the source forecasts, in typical steps
	inputs *inputs     // nil without

	levels       []float64   // standardised lags, order x dim
	origin, unit [][]float64 // of each target, per coordinate
	step         []float64   // typical step of each coordinate
	low, high    []float64   // limits of a forecast of it
}

func newFrame(dim, order int, s *scaler, l *localMean, in *inputs) *frame {
	f := &frame{
		scaler: s, local: l, inputs: in,
		long:   make([]float64, dim),
		levels: make([]float64, order*dim),
		origin: make([][]float64, 3), unit: make([][]float64, 3),
		step: make([]float64, dim), low: make([]float64, dim), high: make([]float64, dim),
	}
	for t := range f.origin {
		f.origin[t], f.unit[t] = make([]float64, dim), make([]float64, dim)
	}
	return f
}

// prepare computes what follows from the past and the statistics.
func (f *frame) prepare() {
	last := f.past.lag(0)
	levelsTo(f.levels, f.scaler, &f.past, len(f.levels)/len(last))
	for j, x := range last {
		f.step[j] = f.scaler.step(j)
		margin := 2 * f.scaler.rms[j]
		f.low[j], f.high[j] = f.scaler.low[j]-margin, f.scaler.high[j]+margin
		f.origin[increment][j], f.unit[increment][j] = x, f.step[j]
		f.origin[local][j], f.unit[local][j] = f.local.mean[j], unitOf(f.local.sd[j])
		f.origin[level][j], f.unit[level][j] = f.scaler.mean[j], unitOf(f.scaler.sd[j])
	}
}

// unitOf is a scale, or 1 for a constant coordinate.
func unitOf(scale float64) float64 {
	if scale == 0 {
		return 1
	}
	return scale
}

// increments are the last steps of each coordinate, the newest first, contiguous.
type increments struct {
	count, size int // steps that are kept; room for one coordinate
	next        int // place of the newest
	values      []float64
}

func newIncrements(dim, count int) *increments {
	size := count + 64 // moved once in 64 samples
	return &increments{count: count, size: size, next: 64, values: make([]float64, dim*size)}
}

// push appends the step from the sample before to the last one.
func (n *increments) push(last, before []float64) {
	if n.next == 0 {
		for j := range last {
			v := n.values[j*n.size : (j+1)*n.size]
			copy(v[n.size-n.count:], v[:n.count])
		}
		n.next = n.size - n.count
	}
	n.next--
	for j, v := range last {
		n.values[j*n.size+n.next] = v - before[j]
	}
}

// of returns the last k steps of a coordinate: a view.
func (n *increments) of(j, k int) []float64 {
	i := j*n.size + n.next
	return n.values[i : i+k]
}

// clear makes all steps of a coordinate zero.
func (n *increments) clear(j int) { clear(n.of(j, n.count)) }

// follow takes the steps from a history.
func (n *increments) follow(h *history) {
	for l := n.count - 1; l >= 0; l-- {
		n.push(h.lag(l), h.lag(l+1))
	}
}
