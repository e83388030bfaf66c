package thesis

import (
	"fmt"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/scoring"
)

// Experiment is one row of the tables of Brault 2017 (8.1, 8.2 and 8.3): its data, preparation, window, parameters, and
// published figures.
//
// Published figures are as printed. The data reproduce the figures of VAR(1) to every printed digit, except where Notes
// has a correction. The figures of ORFFVAR depend on the drawn frequencies; the spread over seeds shows by how much.
// The settings of OKVAR are known only for Macrodata. The column "variance" of the thesis is the population standard
// deviation of the losses. A time is the time of one fit.
//
// The preparation is that of the thesis, including z-scores over the whole series. These look ahead: use them only to
// repeat the tables.
type Experiment struct {
	Table string // "8.1", "8.2" or "8.3"
	Name  string // unique
	File  string // name of the data file in the folder of the data sets

	// Prepare converts the file into the series of the experiment.
	Prepare func(*scoring.Dataset) (*scoring.Dataset, error)

	Window int // number of rows

	// Parameters of the windowed ORFFVAR. It has Blocks blocks, each with Frequencies random frequencies N(0, 1/Sigma^2).
	Sigma, Lambda       float64
	Blocks, Frequencies int

	// Standardize standardises each window of the windowed ORFFVAR by the mean and standard deviation of the window.
	Standardize bool

	// Parameters of OKVAR. 0: the sigma of ORFFVAR, and the lambda with the least leave-one-out error on the first
	// window.
	OKVARSigma, OKVARLambda float64

	VAR1, ORFFVAR, OKVAR Published

	// Notes are corrections of printed figures, and the actual settings of figures if the printed settings differ.
	Notes []string

	// Training requests the training error of ORFFVAR: one printed figure is a training error.
	Training bool

	// Target is the SCV-MSE that an online model should reach in one pass, as the mean over ten seeds; 0: none. In the
	// linear setting, where VAR(1) is the true model, it is 1 % above the SCV-MSE of VAR(1).
	Target float64
}

// Published is a pair of printed figures; 0: not printed.
type Published struct {
	MSE, SD float64
	Seconds float64 // seconds of one fit
}

// TableOptions configures Experiment.Run.
type TableOptions struct {
	// Features draws the features of a block of the windowed ORFFVAR: sines and cosines of frequencies N(0, 1/sigma^2)
	// for inputs of length in, divided by the square root of the number of frequencies. Each block of a model has
	// another seed.
	Features func(in, frequencies int, sigma float64, seed uint64) Block

	// Seeds are the seeds of the repetitions.
	Seeds []uint64

	// Models are evaluated prequentially on the same targets, once per seed.
	Models []SeededModel

	// Progress, unless nil, is called after each of total parts.
	Progress func(done, total int)

	// Now, unless nil, is the clock for the times of the fits.
	Now func() time.Time

	// Check, unless nil, is called at every row. Run stops at its first error, and returns it.
	Check func() error
}

// SeededModel is the constructor of a one-step model.
type SeededModel struct {
	Name string
	New  func(dim int, seed uint64) (eval.Model, error)
}

// TableRow is an Experiment with its results.
type TableRow struct {
	Experiment  Experiment
	Rows, Dim   int
	Scored      int
	Persistence Published // reproduced: SCV-MSE and standard deviation
	VAR1        Published
	ORFFVAR     Repeated
	OKVAR       Published       // zero if none is published
	Training    scoring.Summary // training error of ORFFVAR on its last window, if the experiment requests it
	Online      []Repeated      // in the order of TableOptions.Models
}

// Repeated is a pair of figures over several seeds.
type Repeated struct {
	Name    string
	MSE, SD scoring.Summary
	Seconds float64 // seconds of one fit, with the first seed; 0 for an online model
}

// Run repeats the experiment on the data of its file.
func (e *Experiment) Run(file *scoring.Dataset, o TableOptions) (*TableRow, error) {
	data, err := e.Prepare(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	d := data.Dim()
	row := &TableRow{Experiment: *e, Rows: data.Len(), Dim: d}
	done, total := 0, 2+len(o.Seeds)*(1+len(o.Models))
	if e.OKVAR.MSE > 0 {
		total++
	}
	var last fitWindow
	advance := func() {
		done++
		if o.Progress != nil {
			o.Progress(done, total)
		}
	}
	windowed := func(f Fitter) (Published, error) {
		r, err := scv(f, data, e.Window, o.Check)
		if err != nil {
			return Published{}, fmt.Errorf("%s: %w", e.Name, err)
		}
		advance()
		row.Scored, last = r.N, lastWindow(data, e.Window)
		seconds, err := last.fitSeconds(f, o.Now)
		return Published{r.MSE, r.SD, seconds}, err
	}
	if row.Persistence, err = windowed(Persistence{}); err != nil {
		return nil, err
	}
	if row.VAR1, err = windowed(NewVAR1(d)); err != nil {
		return nil, err
	}
	if e.OKVAR.MSE > 0 {
		f, err := e.okvar(data)
		if err == nil {
			row.OKVAR, err = windowed(f)
		}
		if err != nil {
			return nil, err
		}
	}
	var training []float64
	row.ORFFVAR, err = repeat("ORFFVAR", o.Seeds, func(seed uint64) (Published, error) {
		f := e.orffvar(d, o.Features, seed)
		p, err := windowed(f)
		if err == nil && e.Training {
			training = append(training, last.trainingError(f))
		}
		return p, err
	})
	if err != nil {
		return nil, err
	}
	row.Training = scoring.Summarize(training...)
	for _, m := range o.Models {
		r, err := repeat(m.Name, o.Seeds, func(seed uint64) (Published, error) {
			model, err := m.New(d, seed)
			if err != nil {
				return Published{}, err
			}
			options := scoring.Options{From: e.Window}
			if o.Check != nil {
				options.OnStep = func(scoring.Step) error { return o.Check() }
			}
			r, err := scoring.Prequential(model, data, options)
			if err != nil {
				return Published{}, err
			}
			advance()
			s := r.Score(scoring.All, 0)
			return Published{MSE: s.SCVMSE, SD: s.SCVSD}, nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", e.Name, m.Name, err)
		}
		row.Online = append(row.Online, r)
	}
	return row, nil
}

// orffvar returns the windowed ORFFVAR of the experiment.
func (e *Experiment) orffvar(dim int, features func(in, frequencies int, sigma float64, seed uint64) Block, seed uint64) Fitter {
	c := BlockRidgeConfig{Out: dim, Lambda: e.Lambda}
	for b := range e.Blocks {
		c.Blocks = append(c.Blocks, features(dim, e.Frequencies, e.Sigma, seed*uint64(e.Blocks)+uint64(b)))
	}
	if e.Standardize {
		return &standardized{Fitter: NewBlockRidge(c)}
	}
	return NewBlockRidge(c)
}

// okvar returns the OKVAR of the experiment.
func (e *Experiment) okvar(data *scoring.Dataset) (Fitter, error) {
	k := &KernelRidge{Sigma: e.Sigma, Lambda: e.OKVARLambda}
	if e.OKVARSigma > 0 {
		k.Sigma = e.OKVARSigma
	}
	x, y := pairs(data)
	if n := e.Window - 1; len(x) > n {
		x, y = x[:n], y[:n]
	}
	if err := k.Tune(x, y); err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	if e.Standardize {
		return &standardized{Fitter: k}, nil
	}
	return k, nil
}

// repeat summarises the results of run over the seeds.
func repeat(name string, seeds []uint64, run func(seed uint64) (Published, error)) (Repeated, error) {
	var mse, sd []float64
	var seconds float64
	for i, seed := range seeds {
		p, err := run(seed)
		if err != nil {
			return Repeated{}, err
		}
		mse, sd = append(mse, p.MSE), append(sd, p.SD)
		if i == 0 {
			seconds = p.Seconds
		}
	}
	return Repeated{name, scoring.Summarize(mse...), scoring.Summarize(sd...), seconds}, nil
}
