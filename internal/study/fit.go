package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/distance"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/ridge"
	"github.com/orffvar/forecaster/sgd"
	"github.com/orffvar/forecaster/sgd/rates"
	"github.com/orffvar/forecaster/varmodel/units"
)

// Fit is one line of kernel fit: the errors of a solver on the data set of a file.
type Fit struct {
	Method     string        `json:"method"`
	Iterations int           `json:"iterations,omitempty"`
	Lambda     float64       `json:"lambda,omitempty"`
	Train      report.Number `json:"train_nmse"` // squared error / squared error of no change
	Test       report.Number `json:"test_nmse"`
	Gap        report.Number `json:"gap"` // squared distance from the test forecasts of the first line / squared error of no change

	Mahalanobis *report.Number `json:"test_mahalanobis,omitempty"` // Test with errors whitened by --error-covariance

	// Shares of wrong classes, with --class.
	TrainWrong *report.Number `json:"train_wrong,omitempty"`
	TestWrong  *report.Number `json:"test_wrong,omitempty"`
}

// fixedSet has the pairs of a file, in order. The first three quarters are for training: scales come from them alone.
type fixedSet struct {
	in, out, train, test int
	x, y                 []float64
	next                 []int     // by pair: row of the target
	unit                 []float64 // by variable: typical step, 0 for a constant
	width                float64   // bandwidth
	class                []int     // by pair: class of the target, -1: not a class of the training part; nil without --class

	// The model predicts hidden outputs h; the targets are compared with V h. V is out x hidden; nil: the identity.
	hidden     int
	v          []float64
	names      []string  // by hidden output
	hiddenUnit []float64 // by hidden output: its unit, in units of the data

	partX, partY []float64 // training pairs with incomplete targets; for model.optimiser.manifold

	hint string // advice if the data do not suit the kernel

	whiten []float64 // L^-1, out x out, where L L^T is the covariance of the errors; nil without --error-covariance
}

// part returns the pairs from <= i < to.
func (s *fixedSet) part(from, to int) (x, y []float64) {
	return s.x[from*s.in : to*s.in], s.y[from*s.out : to*s.out]
}

// newFixedSet returns the pairs with complete lags and increments. With model.optimiser.manifold it also returns the
// training pairs with incomplete increments.
func newFixedSet(rows [][]float64, c config.Model) (*fixedSet, error) {
	dim := len(rows[0])
	s := &fixedSet{in: dim * c.Order, out: dim, hidden: dim}
	var lags, steps, partLags, partSteps [][]float64
	var partNext []int
	for t := c.Order - 1; t+1 < len(rows); t++ {
		lag, step := make([]float64, 0, s.in), make([]float64, dim)
		for l := range c.Order {
			lag = append(lag, rows[t-l]...)
		}
		floats.SubTo(step, rows[t+1], rows[t])
		switch {
		case floats.HasNaN(lag):
		case !floats.HasNaN(step):
			lags, steps, s.next = append(lags, lag), append(steps, step), append(s.next, t+1)
		case c.Optimiser.Manifold > 0:
			partLags, partSteps, partNext = append(partLags, lag), append(partSteps, step), append(partNext, t+1)
		}
	}
	if len(lags) < 40 {
		return nil, fmt.Errorf("kernel fit needs 40 complete pairs of lags and next sample, the file has %d", len(lags))
	}
	s.train = len(lags) * 3 / 4
	s.test = len(lags) - s.train
	law := wire.LawOf(c.Kernel)
	shift, scale := columnScales(lags[:s.train], dim, wire.ScaleOf(c.Kernel))
	unit := make([]float64, dim)
	for j := range dim {
		for _, step := range steps[:s.train] {
			unit[j] += step[j] * step[j] / float64(s.train)
		}
		unit[j] = math.Sqrt(unit[j])
	}
	switch law {
	case units.FieldLaw, units.SumLaw:
		one := floats.Norm(unit, 2) / math.Sqrt(float64(dim))
		if spread := floats.Max(unit) / floats.Min(unit); law == units.FieldLaw && spread > 100 {
			s.hint = fmt.Sprintf("The typical steps of the variables differ by a factor of %.0f, and this kernel has one unit for all: if they do not\n"+
				"share a unit, take --set model.kernel.inputs=standardised.", spread)
		}
		for j := range unit {
			unit[j] = one
		}
	case units.ScaledFieldLaw:
		copy(unit, scale)
	}
	s.unit = unit
	scaled := func(lags, steps [][]float64) (x, y []float64) {
		for i := range lags {
			for k, v := range lags[i] {
				x = append(x, over(v-shift[k%dim], scale[k%dim]))
			}
			for j, v := range steps[i] {
				y = append(y, over(v, unit[j]))
			}
		}
		return x, y
	}
	s.x, s.y = scaled(lags, steps)
	part, _ := slices.BinarySearch(partNext, s.next[s.train-1])
	s.partX, s.partY = scaled(partLags[:part], partSteps[:part])
	s.width = distance.Median(s.x[:min(s.train, 500)*s.in], s.in, c.Seed)
	if c.Bandwidth > 0 {
		s.width *= c.Bandwidth
	}
	floats.Scale(1/s.width, s.x)
	floats.Scale(1/s.width, s.partX)
	return s, nil
}

// over returns v / scale; 0 for a constant, whose scale is 0.
func over(v, scale float64) float64 {
	if scale == 0 {
		return 0
	}
	return v / scale
}

// nmse returns sum_i ||h_i - y_i||^2 / sum_i ||y_i||^2. It is 1 for h = 0, the forecast of no change.
func nmse(h, y []float64) report.Number {
	var rest, all float64
	for i, v := range y {
		rest += (h[i] - v) * (h[i] - v)
		all += v * v
	}
	return report.Number(rest / all)
}

// predictor writes the prediction at x into h.
type predictor func(h, x []float64)

// forecasts returns the predictions at all inputs of x.
func (s *fixedSet) forecasts(p predictor, x []float64) []float64 {
	h := make([]float64, len(x)/s.in*s.out)
	for i := range len(x) / s.in {
		p(h[i*s.out:(i+1)*s.out], x[i*s.in:(i+1)*s.in])
	}
	return h
}

// line returns the scores of a predictor, and its test forecasts. first has the test forecasts of the first line; nil:
// this is the first line.
func (s *fixedSet) line(method string, iterations int, lambda float64, p predictor, first []float64) (Fit, []float64) {
	x, y := s.part(0, s.train)
	xt, yt := s.part(s.train, s.train+s.test)
	h := s.forecasts(p, xt)
	f := Fit{Method: method, Iterations: iterations, Lambda: lambda, Train: nmse(s.forecasts(p, x), y), Test: nmse(h, yt)}
	if first != nil {
		var gap, all float64
		for i, v := range first {
			gap += (h[i] - v) * (h[i] - v)
			all += yt[i] * yt[i]
		}
		f.Gap = report.Number(gap / all)
	}
	if s.whiten != nil {
		m := nmse(s.whitened(h), s.whitened(yt))
		f.Mahalanobis = &m
	}
	if s.class != nil {
		f.TrainWrong, f.TestWrong = s.wrong(s.forecasts(p, x), 0), s.wrong(h, s.train)
	}
	return f, h
}

func predictWith(m orff.Map, theta []float64) predictor {
	phi := make([]float64, m.Dims().Features)
	return func(h, x []float64) {
		m.FeaturesTo(phi, x)
		m.PredictTo(h, phi, theta)
	}
}

// lambda returns the configured lambda, or the one that fits the training pairs.
func (s *fixedSet) lambda(m orff.Map, c config.Model) (float64, error) {
	if c.Kernel.Lambda > 0 {
		return c.Kernel.Lambda, nil
	}
	x, y := s.part(0, s.train)
	return ridge.SelectLambda(m, x, y)
}

// maps returns the feature map of the targets: the map of the hidden outputs times V. A nil v leaves out V.
func (s *fixedSet) maps(c config.Model, v []float64) (*orff.Blocks, error) {
	blocks := c.Optimiser.Blocks
	return orff.NewBlocks(blocks, c.Seed, true, func(r random.Rand) (orff.Map, error) {
		m, err := wire.NewMap(c.Kernel, s.hidden, s.in, c.Frequencies/blocks, r)
		if err != nil || v == nil {
			return m, err
		}
		return algebra.NewCongruence(m, s.out, v)
	})
}

// closed returns the ridge solution: in closed form if there is one, otherwise by conjugate gradients.
func (s *fixedSet) closed(maps *orff.Blocks, c config.Model) (m orff.Map, method string, lambda float64, theta []float64, err error) {
	m, method = maps, "conjugate gradients"
	if dec, ok := maps.Block(0).(*orff.Decomposable); ok && maps.Blocks() == 1 {
		m, method = dec, "closed form"
	}
	if lambda, err = s.lambda(m, c); err == nil {
		x, y := s.part(0, s.train)
		theta, err = ridge.Solve(m, x, y, lambda)
	}
	return m, method, lambda, theta, err
}

// fit compares the ridge solution with the fits of the options, with a Gamma learnt alternately with the weights, and
// with Algorithm 4 of Brault 2017.
func (s *fixedSet) fit(c config.Model, o FitOptions, check func() error) (*Fits, error) {
	maps, err := s.maps(c, s.v)
	if err != nil {
		return nil, err
	}
	whole, method, lambda, theta, err := s.closed(maps, c)
	if err != nil {
		return nil, err
	}
	predict := predictWith(whole, theta)
	if o.ErrorCovariance == residuals {
		if err := s.setCovariance(s.residualCovariance(predict)); err != nil {
			return nil, err
		}
	}
	first, h := s.line(method, 0, lambda, predict, nil)
	first.Gap = 0
	f := &Fits{Results: []Fit{first}, Bounds: s.generalisation(whole, lambda), Hint: s.hint}
	if err := check(); err != nil {
		return nil, err
	}
	if s.whiten != nil {
		lambda, theta, err := s.mahalanobis(whole, c)
		if err != nil {
			return nil, err
		}
		line, _ := s.line(method+", Mahalanobis", 0, lambda, predictWith(whole, theta), h)
		f.Results = append(f.Results, line)
	}
	if c.Optimiser.Manifold > 0 {
		theta, err := s.semiSupervised(c, lambda)
		if err != nil {
			return nil, err
		}
		line, _ := s.line("Algorithm 6, manifold", 0, lambda, predictWith(whole, theta), h)
		f.Results = append(f.Results, line)
	}
	if s.v != nil {
		if f.Hidden, err = s.hiddenFunctions(c, theta); err != nil {
			return nil, err
		}
		line, err := s.independent(c, h)
		if err != nil {
			return nil, err
		}
		f.Results = append(f.Results, line)
	} else if dec, ok := whole.(*orff.Decomposable); ok && s.out > 1 && s.class == nil {
		x, y := s.part(0, s.train)
		m, theta, err := ridge.LearnOutput(dec, x, y, lambda, gammaRounds)
		if err != nil {
			return nil, err
		}
		line, _ := s.line("closed form, Gamma learnt", gammaRounds, lambda, predictWith(m, theta), h)
		f.Results = append(f.Results, line)
	}
	f.Results, err = s.algorithm4(f.Results, h, maps, c, lambda, o.Iterations, check)
	return f, err
}

// algorithm4 runs Algorithm 4, and adds a line after 1 %, 10 % and 100 % of the iterations.
func (s *fixedSet) algorithm4(fits []Fit, first []float64, maps *orff.Blocks, c config.Model, lambda float64, iterations int, check func() error) ([]Fit, error) {
	o := c.Optimiser
	d := sgd.DoublyStochasticConfig{Batch: min(o.Batch, s.train), Lambda: lambda, Decay: rates.DecayBlock, Average: o.Average}
	for i := range maps.Blocks() {
		d.Blocks = append(d.Blocks, maps.Block(i))
	}
	rate := o.Rate
	switch o.Step {
	case "newton":
		h := sgd.Hessian{Forgetting: .995}
		if dec, ok := maps.Block(0).(*orff.Decomposable); ok {
			h.Output = dec.Output().Factor()
		}
		d.Preconditioner = h
		d.Rate = visitRate(maps.Blocks())
	case "adagrad":
		d.Preconditioner = sgd.AdaGrad{Epsilon: 1e-4}
		if rate == 0 {
			rate = .1
		}
		d.Rate = rates.Constant(rate)
	default:
		if rate == 0 { // a stable rate is below 2 / largest eigenvalue of the block's Hessian
			x, _ := s.part(0, min(s.train, 200))
			rate = 1 / (ridge.Curvature(maps.Block(0), x) + lambda)
		}
		d.Rate, d.Average = rates.Constant(rate), true // without the average, a constant rate ends in noise
	}
	l, err := sgd.NewDoublyStochastic(d)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(c.Seed, 4))
	for t := 1; t <= iterations; t++ {
		for range d.Batch {
			i := rng.IntN(s.train)
			l.Learn(s.x[i*s.in:(i+1)*s.in], s.y[i*s.out:(i+1)*s.out])
		}
		if t == iterations || t == iterations/10 || t == iterations/100 {
			if err := check(); err != nil {
				return nil, err
			}
			f, _ := s.line("Algorithm 4, "+o.Step, t, lambda, l.PredictTo, first)
			fits = append(fits, f)
		}
	}
	return fits, nil
}

// visitRate is the learning rate of Newton steps. It falls with the number of visits of a block; its value is the number
// of blocks.
type visitRate int

func (b visitRate) Rate(t int) float64 { return max(.005, 1/float64((t-1)/int(b)+2)) }

func (b visitRate) Validate(float64, rates.Decay) error { return nil }

// gammaRounds is the number of rounds of ridge.LearnOutput.
const gammaRounds = 20
