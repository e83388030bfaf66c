package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// coverageWindow is the number of successive forecasts whose coverage is looked at.
const coverageWindow = 500

// lowest returns the smallest coverage in coverageWindow successive rows, of all variables
// together and of one variable. inside has a row per target and a column per variable; NaN where
// there is no value.
func lowest(inside [][]float64) (all, one float64) {
	all, one = 1, 1
	d := len(inside[0])
	in, n := make([]float64, d), make([]float64, d)
	add := func(row []float64, sign float64) {
		for j, v := range row {
			if v == v {
				in[j], n[j] = in[j]+sign*v, n[j]+sign
			}
		}
	}
	for i, row := range inside {
		add(row, 1)
		if i >= coverageWindow {
			add(inside[i-coverageWindow], -1)
		}
		if i+1 < min(coverageWindow, len(inside)) {
			continue
		}
		var sum, count float64
		for j := range d {
			sum, count = sum+in[j], count+n[j]
			if n[j] > 0 {
				one = min(one, in[j]/n[j])
			}
		}
		if count > 0 {
			all = min(all, sum/count)
		}
	}
	return all, one
}

// Coverage of the 90 % interval after a fifth of the rows, over all of them and in the worst
// window of 500: nine files; and what the truth would have on seven AR(.95) and seven random walks of
// 14,400 rows, whose intervals are known.
func TestProtocolCoverage(t *testing.T) {
	modeltest.Measuring(t)
	const H, d, z90 = 48, 7, 1.6448536
	hs := []int{1, 12, 24, 48}
	for _, name := range modeltest.Nine {
		p := modeltest.LoadB(t, name)
		d := len(p.Sd)
		f := intervalsAround(t, newAuto(t, Config{Dim: d, Horizon: H}), d, H, []float64{.9}).NewSeries()
		inside := make([][][]float64, len(hs))
		lower, upper := make([]float64, H*d), make([]float64, H*d)
		for i, row := range p.X {
			if err := f.Observe(row); err != nil {
				t.Fatal(err)
			}
			if !modeltest.As[eval.Bounder](t, f).BoundsTo(lower, upper) {
				continue
			}
			for k, h := range hs {
				to := i + h
				if to < len(p.X)/5 || to >= len(p.X) {
					continue
				}
				hits := make([]float64, d)
				for j, y := range p.X[to] {
					slack := 1e-9 * math.Abs(y)
					if low, high := lower[(h-1)*d+j], upper[(h-1)*d+j]; p.Sd[j] == 0 || low != low {
						hits[j] = math.NaN()
					} else if low-slack <= y && y <= high+slack {
						hits[j] = 1
					}
				}
				inside[k] = append(inside[k], hits)
			}
		}
		for k, h := range hs {
			var sum, n float64
			for _, row := range inside[k] {
				for _, v := range row {
					if v == v {
						sum, n = sum+v, n+1
					}
				}
			}
			all, one := lowest(inside[k])
			t.Logf("%-18s h=%-2d coverage %.3f, worst window %.2f, of one variable %.2f", name, h, sum/n, all, one)
		}
	}
	for _, c := range []struct {
		name string
		keep float64
	}{{"AR(.95)", .95}, {"random walk", 1}} {
		rng := rand.New(rand.NewPCG(2, 3))
		x := make([][]float64, 14400)
		for i := range x {
			x[i] = make([]float64, d)
			for j := range d {
				if x[i][j] = rng.NormFloat64(); i > 0 {
					x[i][j] += c.keep * x[i-1][j]
				}
			}
		}
		for _, h := range hs {
			var variance float64 // of the forecast of h steps: sum of keep^(2 i)
			for i := range h {
				variance += math.Pow(c.keep, float64(2*i))
			}
			var inside [][]float64
			for i := range x[:len(x)-h] {
				hits := make([]float64, d)
				for j := range d {
					if math.Abs(x[i+h][j]-math.Pow(c.keep, float64(h))*x[i][j]) <= z90*math.Sqrt(variance) {
						hits[j] = 1
					}
				}
				inside = append(inside, hits)
			}
			all, one := lowest(inside)
			t.Logf("%-18s h=%-2d true interval: worst window %.2f, of one variable %.2f", c.name, h, all, one)
		}
	}
}
