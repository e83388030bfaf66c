package orff

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/sgd"
)

// Blocks is a Map made of equal blocks of features, the form in which doubly stochastic
// gradient descent visits it (Brault 2017, Algorithms 4 and 5):
//
//	h(x) = sum_i Phi_i(x)^T theta_i
//
// All blocks have equal Dims. The features and parameters of Blocks are those of its blocks, concatenated: with
// P = Params/Blocks(), theta_i = theta[i*P:(i+1)*P]. The features of a block already have the factor of the whole map
// (1/sqrt(D) with D = b D_b, not 1/sqrt(b)): the prediction is the plain sum over the blocks.
//
// An optimiser that visits one block per step calls FeaturesTo and AddGradient of
// Block(i), and predicts by summing PredictTo over the blocks touched so far.
//
// Block i (counted from 1) is drawn from random.Block(seed, i): it is equal whether its frequencies stay in memory or are
// redrawn when they are needed. Blocks is not safe for concurrent use.
type Blocks struct {
	seed   uint64
	blocks []Map
	kept   bool
	dims   sgd.Dims
	drawn  Map   // the block drawn last, unless all are kept
	last   int   // number of drawn, from 1
	again  []int // number of redraws of each block by Redraw
	build  func(r random.Rand) (Map, error)
	rand   random.Rand
	y, g   []float64 // scratch: Out, In
}

// NewBlocks makes n blocks with build, each with the weight 1/n. build must draw all that is random from r. If keep is
// set, all blocks stay in memory. Otherwise one block stays, and blocks are redrawn when needed: two orders of
// magnitude slower per feature, for models that do not fit into memory. NewBlocks returns an error of build.
func NewBlocks(n int, seed uint64, keep bool, build func(r random.Rand) (Map, error)) (*Blocks, error) {
	if n < 1 {
		return nil, fmt.Errorf("orff: the number of blocks must be >= 1, got %d", n)
	}
	b := &Blocks{seed: seed, kept: keep, build: build, blocks: make([]Map, n), again: make([]int, n)}
	scale := math.Sqrt(1 / float64(n))
	for i := range b.blocks {
		if !keep && i > 0 {
			b.blocks[i] = &redrawnBlock{b, i + 1}
			continue
		}
		m, err := build(random.Block(seed, i+1))
		if err != nil {
			return nil, err
		}
		if i > 0 && m.Dims() != b.dims {
			return nil, fmt.Errorf("orff: block %d has sizes %v, block 1 has %v", i+1, m.Dims(), b.dims)
		}
		b.dims = m.Dims()
		if !optional.Weigh(m, scale) {
			return nil, fmt.Errorf("orff: %T cannot be a block, it has no weight", m)
		}
		b.blocks[i] = m
	}
	if !keep {
		b.drawn, b.last = b.blocks[0], 1
		b.blocks[0] = &redrawnBlock{b, 1}
		r := random.Block(seed, 1)
		if !optional.Redraw(b.drawn, &r) {
			return nil, fmt.Errorf("orff: a map that depends on data (landmarks, given frequencies) cannot be drawn again: keep its blocks")
		}
	}
	b.y, b.g = make([]float64, b.dims.Out), make([]float64, b.dims.In)
	return b, nil
}

// Blocks returns the number of blocks.
func (b *Blocks) Blocks() int { return len(b.blocks) }

// Block returns block i = 0 … Blocks()-1, which the thesis numbers i+1. It does not allocate.
func (b *Blocks) Block(i int) Map { return b.blocks[i] }

// Any returns a block for properties that all blocks share, such as their kernel. Its frequencies may be those of any
// block.
func (b *Blocks) Any() Map {
	if b.kept {
		return b.blocks[0]
	}
	return b.drawn
}

func (b *Blocks) Dims() sgd.Dims {
	d, n := b.dims, len(b.blocks)
	return sgd.Dims{In: d.In, Out: d.Out, Features: n * d.Features, Params: n * d.Params}
}

func (b *Blocks) FeaturesTo(phi, x []float64) {
	n := b.dims.Features
	if len(phi) != n*len(b.blocks) {
		panic(check.BadLength)
	}
	for i, m := range b.blocks {
		m.FeaturesTo(phi[i*n:(i+1)*n], x)
	}
}

func (b *Blocks) PredictTo(y, phi, theta []float64) {
	n, p := b.dims.Features, b.dims.Params
	if len(phi) != n*len(b.blocks) || len(theta) != p*len(b.blocks) {
		panic(check.BadLength)
	}
	clear(y)
	for i, m := range b.blocks {
		m.PredictTo(b.y, phi[i*n:(i+1)*n], theta[i*p:(i+1)*p])
		vec.Axpy(1, b.y, y)
	}
}

func (b *Blocks) AddGradient(g []float64, alpha float64, phi, r []float64) {
	n, p := b.dims.Features, b.dims.Params
	if len(phi) != n*len(b.blocks) || len(g) != p*len(b.blocks) {
		panic(check.BadLength)
	}
	for i, m := range b.blocks {
		m.AddGradient(g[i*p:(i+1)*p], alpha, phi[i*n:(i+1)*n], r)
	}
}

// blockRand returns the generator of a block, by its number from 1. Redraws take the numbers after the last block: the
// first redraw of block 1 has the number Blocks() + 1.
func (b *Blocks) blockRand(number int) random.Rand {
	return random.Block(b.seed, number+b.again[number-1]*len(b.blocks))
}

// Redraw draws new features for block i. The weights of the block become meaningless. It returns false if the features
// cannot be drawn.
func (b *Blocks) Redraw(i int) bool {
	b.again[i]++
	if !b.kept {
		b.last = 0
		return true
	}
	b.rand = b.blockRand(i + 1)
	return optional.Redraw(b.blocks[i], &b.rand)
}

// Grow appends one block, drawn as NewBlocks would have drawn it. The weight of each block falls to 1/(n+1) (see
// sgd.DoublyStochastic.Grow). It allocates. All blocks must be kept. None may have been redrawn, because the new block
// could have an equal generator.
func (b *Blocks) Grow() error {
	n := len(b.blocks)
	if !b.kept {
		return errors.New("orff: blocks that are not kept cannot grow")
	}
	for _, times := range b.again {
		if times > 0 {
			return errors.New("orff: blocks that were drawn again cannot grow")
		}
	}
	m, err := b.build(random.Block(b.seed, n+1))
	if err != nil {
		return err
	}
	if m.Dims() != b.dims {
		return fmt.Errorf("orff: block %d has sizes %v, block 1 has %v", n+1, m.Dims(), b.dims)
	}
	for _, old := range b.blocks {
		optional.Weigh(old, math.Sqrt(float64(n)/float64(n+1)))
	}
	optional.Weigh(m, math.Sqrt(1/float64(n+1)))
	b.blocks, b.again = append(b.blocks, m), append(b.again, 0)
	return nil
}

// State saves or restores the seed and the kept blocks. The other blocks follow from the seed.
func (b *Blocks) State(c *snapshot.Codec) {
	c.Section("blocks")
	c.Uint64(&b.seed)
	for i := range b.again {
		c.Index(&b.again[i], math.MaxInt/(len(b.again)+1))
	}
	if !b.kept {
		b.last = 0
		return
	}
	for _, m := range b.blocks {
		optional.State(m, c)
	}
}

func (b *Blocks) RedrawFrom(r *random.Rand) bool {
	b.seed = r.Uint64()
	clear(b.again)
	if !b.kept {
		b.last = 0
		return true
	}
	for i, m := range b.blocks {
		g := random.Block(b.seed, i+1)
		if !optional.Redraw(m, &g) {
			return false
		}
	}
	return true
}

func (b *Blocks) Weigh(s float64) bool {
	if !b.kept {
		return optional.Weigh(b.drawn, s)
	}
	for _, m := range b.blocks {
		optional.Weigh(m, s)
	}
	return true
}

// PullbackTo adds the pullbacks of the blocks.
func (b *Blocks) PullbackTo(g, x, phi, theta, r []float64) {
	n, p := b.dims.Features, b.dims.Params
	clear(g)
	for i, m := range b.blocks {
		m.(optional.SmoothMap).PullbackTo(b.g, x, phi[i*n:(i+1)*n], theta[i*p:(i+1)*p], r)
		vec.Axpy(1, b.g, g)
	}
}

func (b *Blocks) Smooth() error           { return optional.Smooth(b.blocks[0]) }
func (b *Blocks) Check(x []float64) error { return CheckInput(b.blocks[0], x) }

// KernelTo takes any block: all blocks have the same kernel.
func (b *Blocks) KernelTo(k, x, z []float64) {
	KernelTo(k, b.blocks[0], x, z)
	vec.Scale(float64(len(b.blocks)), k)
}

func (b *Blocks) VarianceTo(v, x, z []float64) {
	optional.VarianceTo(v, b.blocks[0], x, z)
	vec.Scale(float64(len(b.blocks)), v)
}

// redrawnBlock is a block whose frequencies exist only while it is used.
type redrawnBlock struct {
	parent *Blocks
	number int // number of the block, from 1
}

// get returns the block. It redraws the block unless it was the last one drawn.
func (m *redrawnBlock) get() Map {
	b := m.parent
	if b.last != m.number {
		b.rand = b.blockRand(m.number)
		optional.Redraw(b.drawn, &b.rand)
		b.last = m.number
	}
	return b.drawn
}

// apply returns a map for Phi(x) given phi. Any block will do if phi holds all that is random.
func (m *redrawnBlock) apply() Map {
	if _, ok := m.parent.drawn.(interface{ AllInFeatures() }); ok {
		return m.parent.drawn
	}
	return m.get()
}

func (m *redrawnBlock) Dims() sgd.Dims                    { return m.parent.dims }
func (m *redrawnBlock) FeaturesTo(phi, x []float64)       { m.get().FeaturesTo(phi, x) }
func (m *redrawnBlock) PredictTo(y, phi, theta []float64) { m.apply().PredictTo(y, phi, theta) }

func (m *redrawnBlock) AddGradient(g []float64, alpha float64, phi, r []float64) {
	m.apply().AddGradient(g, alpha, phi, r)
}

func (m *redrawnBlock) PullbackTo(g, x, phi, theta, r []float64) {
	m.get().(optional.SmoothMap).PullbackTo(g, x, phi, theta, r)
}

func (m *redrawnBlock) Smooth() error                { return optional.Smooth(m.parent.drawn) }
func (m *redrawnBlock) Check(x []float64) error      { return CheckInput(m.parent.drawn, x) }
func (m *redrawnBlock) KernelTo(k, x, z []float64)   { KernelTo(k, m.parent.drawn, x, z) }
func (m *redrawnBlock) VarianceTo(v, x, z []float64) { optional.VarianceTo(v, m.parent.drawn, x, z) }

func (b *Blocks) KernelSmooth() error { return optional.KernelSmooth(b.blocks[0]) }

func (b *Blocks) KernelPullTo(g, x, z, r, a []float64) {
	b.blocks[0].(optional.SlopedMap).KernelPullTo(g, x, z, r, a)
	vec.Scale(float64(len(b.blocks)), g)
}

func (m *redrawnBlock) KernelSmooth() error { return optional.KernelSmooth(m.parent.drawn) }

func (m *redrawnBlock) KernelPullTo(g, x, z, r, a []float64) {
	m.parent.drawn.(optional.SlopedMap).KernelPullTo(g, x, z, r, a)
}

func (b *Blocks) Estimate() (bound.Estimate, error) {
	e, err := bound.Of(b.Any())
	n := len(b.blocks)
	e.Draws *= n
	e.Norm *= float64(n)
	return e, err
}
