package auto

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// leastConvex returns the least w'Gw over the weights w >= 0 that sum to 1, by moving weight from
// the worst to the best coordinate (pairwise Frank-Wolfe); G is n x n, a matrix of products.
func leastConvex(g []float64, n int) float64 {
	w, gradient := make([]float64, n), make([]float64, n)
	for k := range w {
		w[k] = 1 / float64(n)
	}
	var value float64
	for range 4000 {
		value = 0
		for k := range w {
			gradient[k] = vec.Dot(g[k*n:(k+1)*n], w)
			value += w[k] * gradient[k]
		}
		best, worst := 0, -1
		for k, v := range gradient {
			if v < gradient[best] {
				best = k
			}
			if w[k] > 0 && (worst < 0 || v > gradient[worst]) {
				worst = k
			}
		}
		curvature := g[best*n+best] - 2*g[best*n+worst] + g[worst*n+worst]
		if best == worst || curvature <= 0 {
			break
		}
		move := min((gradient[worst]-gradient[best])/curvature, w[worst])
		w[worst] -= move
		w[best] += move
	}
	return value
}

// What mixing could reach at most on the nine files: the error of the best expert of each
// variable, and of the best constant convex weights of each variable, both chosen in hindsight.
func TestProtocolHindsight(t *testing.T) {
	modeltest.Measuring(t)
	files, _, _ := partsFiles(t)
	var logs [3]float64
	for _, s := range files {
		d := len(s.x[0])
		f := newAuto(t, Config{Dim: d, Horizon: 1}).NewSeries().(*autoSeries)
		n, stride := len(f.m.names), vec.Stride(d)
		products, errs := make([]float64, d*n*n), make([]float64, n)
		ours, naive, next := make([]float64, d), make([]float64, d), make([]float64, d)
		for i, row := range s.x[:s.end-1] {
			if s.times != nil {
				modeltest.As[eval.Clocked](t, eval.Forecaster(f)).SetTime(s.times[i])
			}
			if err := f.Observe(row); err != nil {
				t.Fatal(err)
			}
			if f.ForecastTo(next); i+1 < s.begin {
				continue
			}
			for j, y := range s.x[i+1] {
				for k := range errs {
					errs[k] = f.panel.forecasts[k*stride+j] - y
				}
				for k, e := range errs {
					vec.Axpy(e, errs, products[(j*n+k)*n:(j*n+k+1)*n])
				}
				ours[j] += (next[j] - y) * (next[j] - y)
				naive[j] += (row[j] - y) * (row[j] - y)
			}
		}
		var sums [4]float64 // ours, best expert, best weights, last value
		for j := range d {
			v := modeltest.ColumnSD(s.x[:len(s.x)/5], j)
			if v < 1e-9 {
				v = modeltest.ColumnSD(s.x[s.begin:s.end], j)
			}
			if v < 1e-9 {
				continue
			}
			g, best := products[j*n*n:(j+1)*n*n], math.Inf(1)
			for k := range n {
				best = min(best, g[k*n+k])
			}
			for i, e := range []float64{ours[j], best, leastConvex(g, n), naive[j]} {
				sums[i] += e / (v * v)
			}
		}
		for i := range logs {
			sums[i] /= sums[3]
			logs[i] += math.Log(sums[i]) / float64(len(files))
		}
		t.Logf("%-20s auto %.4f, best expert of each variable %.4f, best weights %.4f", s.name, sums[0], sums[1], sums[2])
	}
	t.Logf("geometric mean       auto %.4f, best expert of each variable %.4f, best weights %.4f", math.Exp(logs[0]), math.Exp(logs[1]), math.Exp(logs[2]))
}

// The same at single horizons of the tables of ETT: what mixing the experts of an anchor could reach.
// Weights are those of each variable, or shared by all variables but LULL.
func TestProtocolHindsightFar(t *testing.T) {
	modeltest.Measuring(t)
	const H, n = 96, anchorExperts
	for _, c := range ettFiles {
		s := c.read(t)
		d := len(s.x[0])
		f := newAuto(t, Config{Dim: d, Horizon: H}).NewSeries().(*autoSeries)
		o, forecast, errs := f.multihorizon, make([]float64, H*d), make([]float64, n)
		ours, products := make([]float64, len(o.anchors)*d), make([]float64, len(o.anchors)*d*n*n)
		var unit []float64
		for j := range d {
			sd := modeltest.ColumnSD(s.x[:c.scale], j)
			unit = append(unit, 1/(sd*sd*float64(s.end-s.begin)))
		}
		for i, row := range s.x {
			modeltest.As[eval.Clocked](t, eval.Forecaster(f)).SetTime(s.times[i])
			if err := f.Observe(row); err != nil {
				t.Fatal(err)
			}
			f.ForecastTo(forecast)
			for k, h := range o.direct.steps {
				p := o.anchors[k].origin(o.made - 1)
				if i+h < s.begin || i+h >= s.end {
					continue
				}
				for j, y := range s.x[i+h] {
					for e := range errs {
						errs[e] = p.forecasts[e*d+j] + p.season[j] - y
					}
					for e, v := range errs {
						vec.Axpy(v*unit[j], errs, products[((k*d+j)*n+e)*n:][:n])
					}
					v := forecast[(h-1)*d+j] - y
					ours[k*d+j] += v * v * unit[j]
				}
			}
		}
		for k, h := range o.direct.steps {
			if h != 24 && h != 48 && h != 96 {
				continue
			}
			var all, without [3]float64 // ours, best expert, best weights
			shared := make([]float64, n*n)
			for j := range d {
				g, best := products[(k*d+j)*n*n:][:n*n], math.Inf(1)
				for e := range n {
					best = min(best, g[e*n+e])
				}
				if j != lull {
					vec.Axpy(1/float64(d-1), g, shared)
				}
				for i, v := range []float64{ours[k*d+j], best, leastConvex(g, n)} {
					all[i] += v / float64(d)
					if j != lull {
						without[i] += v / float64(d-1)
					}
				}
			}
			t.Logf("%-20s h=%d  auto %.3f, best expert of each variable %.3f, best weights %.3f; without LULL %.3f, %.3f, %.3f, shared %.3f",
				c.file, h, all[0], all[1], all[2], without[0], without[1], without[2], leastConvex(shared, n))
		}
	}
}
