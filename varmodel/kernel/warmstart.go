package kernel

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/batch"
	"github.com/orffvar/forecaster/sgd/losses"
)

// Solver is the method of a batch fit.
type Solver int

const (
	// AutoSolver is the first of the solvers below that can solve the problem.
	AutoSolver Solver = iota

	// RidgeSolver is the closed form, for a decomposable map of one block and the squared loss. It leaves out pairs with a
	// missing target.
	RidgeSolver

	// CGSolver is the method of conjugate gradients, for the squared loss.
	CGSolver

	// LBFGSSolver is the limited-memory BFGS method, for any loss.
	LBFGSSolver
)

// maxWarm is the largest number of pairs in a batch fit.
const maxWarm = 100_000

// warmStart collects the first pairs of a stream and fits them in batch.
type warmStart struct {
	blocks *orff.Blocks
	lambda float64
	loss   losses.Loss
	solver Solver

	x, y  []float64 // pairs, row by row
	n     int
	count int
}

func newWarmStart(cfg *VARConfig, blocks *orff.Blocks) (*warmStart, error) {
	w := &warmStart{
		blocks: blocks, lambda: cfg.Lambda, loss: cfg.Loss, solver: cfg.Solver, n: cfg.Warm,
		x: make([]float64, cfg.Warm*blocks.Dims().In), y: make([]float64, cfg.Warm*blocks.Dims().Out),
	}
	if w.loss == nil {
		w.loss = losses.Squared{}
	}
	_, squared := w.loss.(losses.Squared)
	_, decomposable := blocks.Block(0).(*orff.Decomposable)
	closed := decomposable && blocks.Blocks() == 1
	switch cfg.Solver {
	case AutoSolver:
		w.solver = LBFGSSolver
		if squared && closed {
			w.solver = RidgeSolver
		} else if squared {
			w.solver = CGSolver
		}
	case RidgeSolver:
		if !closed {
			return nil, errors.New("varmodel: Solver: the closed form needs a decomposable map and one block")
		}
	case CGSolver, LBFGSSolver:
	default:
		return nil, fmt.Errorf("varmodel: Solver %d is unknown", int(cfg.Solver))
	}
	if !squared && w.solver != LBFGSSolver {
		return nil, fmt.Errorf("varmodel: Solver: a loss of %T needs LBFGSSolver", w.loss)
	}
	return w, nil
}

// add adds a pair. full: it was the last one.
func (w *warmStart) add(x, y []float64) (full bool) {
	if w.count == w.n {
		return false
	}
	copy(w.x[w.count*len(x):], x)
	copy(w.y[w.count*len(y):], y)
	w.count++
	return w.count == w.n
}

// start sets the weights of l to those of the fit. A failed fit changes nothing: the steps have learnt the same pairs.
// start allocates, once in a stream.
func (w *warmStart) start(l *sgd.DoublyStochastic) {
	theta := make([]float64, w.blocks.Dims().Params)
	if w.fitTo(theta) == nil {
		l.Start(theta)
	}
}

func (w *warmStart) fitTo(theta []float64) error {
	d := w.blocks.Dims()
	if w.solver == RidgeSolver {
		m := w.blocks.Block(0).(*orff.Decomposable)
		var phi, y []float64
		for i := range w.n {
			target := w.y[i*d.Out : (i+1)*d.Out]
			if floats.HasNaN(target) {
				continue
			}
			row := make([]float64, d.Features)
			m.FeaturesTo(row, w.x[i*d.In:(i+1)*d.In])
			phi, y = append(phi, row...), append(y, target...)
		}
		r, err := batch.NewRidge(len(y)/d.Out, phi, y, m.Output().Factor())
		if err != nil {
			return err
		}
		return r.SolveTo(theta, w.lambda)
	}
	o, err := batch.NewObjective(batch.ObjectiveConfig{Map: w.blocks, X: w.x, Y: w.y, Lambda: w.lambda, Loss: w.loss})
	if err != nil {
		return err
	}
	if w.solver == CGSolver {
		_, err = o.SolveCG(theta, 1e-6, 1000)
	} else {
		_, err = o.MinimiseLBFGS(theta, batch.LBFGS{Tolerance: 1e-5, MaxIterations: 200})
	}
	return err
}

func (w *warmStart) State(c *snapshot.Codec) {
	c.Section("warm-start")
	c.Index(&w.count, w.n+1)
	c.Float64s(w.x)
	c.Float64s(w.y)
}
