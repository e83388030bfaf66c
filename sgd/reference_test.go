package sgd_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/orffvar/forecaster/sgd/internal/fixture"

	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/rates"
)

// reference is Algorithm 4 written out: no lazy scale, no scratch.
type reference struct {
	cfg   sgd.DoublyStochasticConfig
	theta [][]float64
	t     int
	past  [][]float64 // iterates since all blocks are in use
	sum   []float64   // of AdaGrad
}

func (l *reference) step(x, y []float64) {
	c, d := l.cfg, l.cfg.Blocks[0].Dims()
	if l.theta == nil {
		for range c.Blocks {
			l.theta = append(l.theta, make([]float64, d.Params))
		}
		l.sum = make([]float64, len(c.Blocks)*d.Params)
	}
	l.t++
	i := (l.t - 1) % len(c.Blocks)
	gamma := c.Rate.Rate(l.t)
	g := make([]float64, d.Params)
	phi, part := make([]float64, d.Features), make([]float64, d.Out)
	for s := range c.Batch {
		e := make([]float64, d.Out)
		xs := x[s*d.In : (s+1)*d.In]
		for j := range c.Blocks {
			c.Blocks[j].FeaturesTo(phi, xs)
			c.Blocks[j].PredictTo(part, phi, l.theta[j])
			for k := range e {
				e[k] += part[k]
			}
		}
		var length float64
		for k := range e {
			e[k] -= y[s*d.Out+k]
			if math.IsNaN(e[k]) {
				e[k] = 0
			}
			length += e[k] * e[k]
		}
		if length = math.Sqrt(length); c.Clip > 0 && length > c.Clip {
			for k := range e {
				e[k] *= c.Clip / length
			}
		}
		c.Blocks[i].FeaturesTo(phi, xs)
		c.Blocks[i].AddGradient(g, 1/float64(c.Batch), phi, e)
	}
	if c.Decay == rates.DecayAll {
		for _, th := range l.theta {
			for k := range th {
				th[k] *= 1 - gamma*c.Lambda
			}
		}
		gamma *= float64(len(c.Blocks))
	} else {
		for k := range g {
			g[k] += c.Lambda * l.theta[i][k]
		}
	}
	for k := range g {
		if a, ok := c.Preconditioner.(sgd.AdaGrad); ok {
			j := i*d.Params + k
			l.sum[j] += g[k] * g[k]
			g[k] /= math.Sqrt(a.Epsilon + l.sum[j])
		}
		l.theta[i][k] -= gamma * g[k]
	}
	if l.t > len(c.Blocks) {
		var all []float64
		for _, th := range l.theta {
			all = append(all, th...)
		}
		l.past = append(l.past, all)
	}
}

func (l *reference) weights() []float64 {
	var all []float64
	for _, th := range l.theta {
		all = append(all, th...)
	}
	if !l.cfg.Average || len(l.past) == 0 {
		return all
	}
	// Windows of 1, 2, 4, ... iterates: the last full one and what follows.
	start, first, width := 0, 0, 1
	for start+width <= len(l.past) {
		first, start, width = start, start+width, 2*width
	}
	clear(all)
	for _, v := range l.past[first:] {
		for k := range all {
			all[k] += v[k] / float64(len(l.past)-first)
		}
	}
	return all
}

func variants() map[string]func(*sgd.DoublyStochasticConfig) {
	return map[string]func(*sgd.DoublyStochasticConfig){
		"block": func(c *sgd.DoublyStochasticConfig) { c.Decay = rates.DecayBlock },
		"all":   func(c *sgd.DoublyStochasticConfig) {},
		"all, sign changes and zero": func(c *sgd.DoublyStochasticConfig) {
			c.Rate, c.Lambda, c.Clip = rates.InverseTime{Theta: 5}, 1, .1
		},
		"all, underflow": func(c *sgd.DoublyStochasticConfig) {
			c.Rate, c.Lambda, c.Clip = rates.Constant(.01), 99, .1
		},
		"all, average": func(c *sgd.DoublyStochasticConfig) { c.Average = true },
		"all, average, fast decay": func(c *sgd.DoublyStochasticConfig) {
			c.Rate, c.Lambda, c.Average = rates.Constant(.1), 3, true
		},
		"block, average": func(c *sgd.DoublyStochasticConfig) { c.Decay, c.Average = rates.DecayBlock, true },
		"block, AdaGrad": func(c *sgd.DoublyStochasticConfig) {
			c.Decay, c.Preconditioner = rates.DecayBlock, sgd.AdaGrad{Epsilon: .5}
		},
		"all, AdaGrad": func(c *sgd.DoublyStochasticConfig) {
			c.Preconditioner, c.Average = sgd.AdaGrad{Epsilon: .5}, true
		},
		"clip": func(c *sgd.DoublyStochasticConfig) { c.Clip = .3 },
	}
}

func variantConfig(change func(*sgd.DoublyStochasticConfig)) sgd.DoublyStochasticConfig {
	m := fixture.Maps(gaussianBlocks(3, 4, 1, true))
	cfg := sgd.DoublyStochasticConfig{Blocks: m, Batch: 2, Lambda: .05, Rate: rates.Constant(.3)}
	change(&cfg)
	return cfg
}

// masked hides some targets, never all of a pair.
func masked(r *fixture.Source) (x, y []float64) {
	x, y = curve(r)
	if u := r.Uniform(); u < .3 {
		y[int(u*1e6)%2] = math.NaN()
	}
	return x, y
}

func TestDoublyStochasticEqualsReference(t *testing.T) {
	for name, change := range variants() {
		cfg := variantConfig(change)
		l, ref := fixture.Must(sgd.NewDoublyStochastic(cfg)), &reference{cfg: cfg}
		r := &fixture.Source{S: 21}
		for step := range 100 {
			x1, y1 := masked(r)
			x2, y2 := masked(r)
			l.Learn(x1, y1)
			l.Learn(x2, y2)
			ref.step(append(x1, x2...), append(y1, y2...))
			// Weights of order 1, a hundred steps of a few roundings each. Sums of
			// weights whose scale decays 1000-fold lose three digits.
			fixture.Near(t, fmt.Sprintf("%s, step %d", name, step+1), weights(l, 3*cfg.Blocks[0].Dims().Params), ref.weights(), 1e-11)
		}
	}
}
