package interval

import (
	"errors"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/detection"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
)

// Graph has the influence of each variable on each other variable, and the evidence that it is not chance.
type Graph struct {
	Dim       int
	Influence []float64 // Dim x Dim, see eval.Influencer
	Evidence  []float64 // Dim x Dim: Student's t, see InfluenceGraph; nil when there was no surrogate
}

const (
	// EdgeEvidence is the least evidence of an edge: a pair without influence has it with a probability of
	// .5 % (Student's distribution with evidenceBatches-1 degrees of freedom).
	EdgeEvidence = 2.86

	evidenceBatches = 20
	evidenceSkipped = .1 // share of the series that the models learn before their forecasts count
)

// Edge reports whether variable j influences another variable i with enough evidence. A graph without
// evidence has an edge for every influence that is not 0.
func (g *Graph) Edge(i, j int) bool {
	k := i*g.Dim + j
	return i != j && g.Influence[k] != 0 && (g.Evidence == nil || g.Evidence[k] > EdgeEvidence)
}

// ErrFewRows reports a series that is too short for an influence: the models learn for some dozens of rows without a
// break.
var ErrFewRows = errors.New("interval: too few rows for influences")

// InfluenceGraph runs a model over a series. It returns the influences at the end, and the evidence of each from all
// forecasts. For the influences of variable j, the model also forecasts surrogates: series in which the values of j are
// shifted circularly in time by a random lag, so that j keeps its dynamics and loses its relation to the others. Let e_a be
// the error of variable i in one surrogate, f_b its forecast in another, and f its forecast in the series. The evidence of
// the influence of j on i is that
//
//	e_a (f - f_b)
//
// has a positive mean: the error without j contains the contribution of j. Without influence, f and f_b are alike and the
// mean is 0. Laws that a young series has for each variable alone are left out, because they would take the place of j. The
// standard error of the mean comes from batches of consecutive samples. surrogates is the number per variable, at least
// 2, or 0 for no evidence. newModel returns an untrained model with derivatives; it is called concurrently.
func InfluenceGraph(newModel func() (eval.Model, error), rows [][]float64, surrogates int) (*Graph, error) {
	if len(rows) == 0 {
		return nil, errors.New("interval: no rows")
	}
	d := len(rows[0])
	g := &Graph{Dim: d, Influence: make([]float64, d*d)}
	m, err := newModel()
	if err != nil {
		return nil, err
	}
	if m, err = NewInfluence(m, d, 0); err != nil {
		return nil, err
	}
	series := m.NewSeries()
	forecasts, err := forecastsOf(series, rows)
	if err != nil {
		return nil, err
	}
	if !series.(*influenceSeries).InfluenceTo(g.Influence) {
		return nil, ErrFewRows
	}
	if surrogates == 0 {
		return g, nil
	}
	g.Evidence = make([]float64, d*d)
	var sources errgroup.Group
	sources.SetLimit(runtime.GOMAXPROCS(0))
	for j := range d {
		sources.Go(func() error {
			without := make([][][]float64, surrogates)
			for k, surrogate := range surrogatesOf(rows, j, surrogates) {
				m, err := newModel()
				if err != nil {
					return err
				}
				if without[k], err = forecastsOf(m.NewSeries(), surrogate); err != nil {
					return err
				}
			}
			for i := range d {
				if i != j {
					g.Evidence[i*d+j] = evidenceOf(i, rows, forecasts, without)
				}
			}
			return nil
		})
	}
	return g, sources.Wait()
}

// AUROC returns the probability that the influence along an edge exceeds the influence of a pair without an edge.
// edges[i][j] is the edge from variable j to variable i.
func (g *Graph) AUROC(edges [][]bool) float64 {
	var scores []float64
	var labels []bool
	for i := range g.Dim {
		for j := range g.Dim {
			if i != j {
				scores, labels = append(scores, math.Abs(g.Influence[i*g.Dim+j])), append(labels, edges[i][j])
			}
		}
	}
	return detection.AUROC(scores, labels)
}

// forecastsOf returns the one-step forecast of each row; NaN: no forecast yet.
func forecastsOf(f eval.Forecaster, rows [][]float64) ([][]float64, error) {
	d := len(rows[0])
	forecasts := make([][]float64, len(rows))
	all := make([]float64, len(rows)*d)
	if j, ok := eval.As[regression.Joint](f); ok {
		j.LeaveJoint()
	}
	for t, row := range rows {
		forecasts[t] = all[t*d : (t+1)*d]
		if !f.ForecastTo(forecasts[t]) {
			for j := range d {
				forecasts[t][j] = math.NaN()
			}
		}
		if err := f.Observe(row); err != nil {
			return nil, err
		}
	}
	return forecasts, nil
}

// surrogatesOf returns n copies of rows in which variable j is shifted circularly in time. The lags, at least a tenth of the
// series, are divided into n parts; of each part, the lag with the largest autocorrelation is used, so that a season keeps
// its phase. The times at which the variable is missing stay the same. If its end and its beginning differ by more than any
// two consecutive values, as in a random walk, the beginning is moved to continue from the end.
func surrogatesOf(rows [][]float64, j, n int) [][][]float64 {
	var x []float64
	var step, mean float64
	for _, row := range rows {
		if v := row[j]; v == v {
			if len(x) > 0 {
				step = max(step, math.Abs(v-x[len(x)-1]))
			}
			x = append(x, v)
			mean += (v - mean) / float64(len(x))
		}
	}
	var offset float64
	if len(x) > 0 && math.Abs(x[len(x)-1]-x[0]) > step {
		offset = x[len(x)-1] - x[0]
	}
	correlations := autocorrelations(x, mean)
	surrogates := make([][][]float64, n)
	for k := range surrogates {
		var lag int
		part := func(k int) int { return int((.1 + .8*float64(k)/float64(n)) * float64(len(x))) }
		for l := part(k); l < part(k+1); l++ {
			if lag == 0 || correlations[l] > correlations[lag] {
				lag = l
			}
		}
		shifted := make([][]float64, len(rows))
		from := lag
		for t, row := range rows {
			shifted[t] = slices.Clone(row)
			if row[j] == row[j] {
				if from < len(x) {
					shifted[t][j] = x[from]
				} else {
					shifted[t][j] = x[from-len(x)] + offset
				}
				from++
			}
		}
		surrogates[k] = shifted
	}
	return surrogates
}

// autocorrelations returns the circular autocorrelation of x at each lag, times a constant.
func autocorrelations(x []float64, mean float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	centred := make([]float64, len(x))
	for i, v := range x {
		centred[i] = v - mean
	}
	fft := fourier.NewFFT(len(x))
	power := fft.Coefficients(nil, centred)
	for i, c := range power {
		power[i] = complex(real(c)*real(c)+imag(c)*imag(c), 0)
	}
	return fft.Sequence(centred, power)
}

// evidenceOf returns Student's t for variable i, from its forecasts in the series and in the surrogates of a source.
func evidenceOf(i int, rows, with [][]float64, without [][][]float64) float64 {
	var products []float64
	for t := int(evidenceSkipped * float64(len(rows))); t < len(rows); t++ {
		var product float64
		for a, one := range without {
			for b, other := range without {
				if a != b {
					product += (rows[t][i] - one[t][i]) * (with[t][i] - other[t][i])
				}
			}
		}
		if product == product {
			products = append(products, product)
		}
	}
	if len(products) < evidenceBatches {
		return 0
	}
	means := make([]float64, evidenceBatches)
	for k := range means {
		means[k] = stat.Mean(products[k*len(products)/evidenceBatches:(k+1)*len(products)/evidenceBatches], nil)
	}
	mean, sd := stat.MeanStdDev(means, nil)
	if sd == 0 {
		return 0
	}
	return mean / stat.StdErr(sd, evidenceBatches)
}
