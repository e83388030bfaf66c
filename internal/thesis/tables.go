package thesis

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// TableFeatures draws the features of a block with the distribution of the thesis.
func TableFeatures(in, frequencies int, sigma float64, seed uint64) Block {
	f, err := orff.NewFourier(spectrum.Gaussian{Sigma: sigma}, in, frequencies, random.New(seed))
	if err != nil {
		panic("tables: " + err.Error()) // the parameters of the experiments are constant
	}
	return Block{Len: f.Len(), FeaturesTo: f.FeaturesTo}
}

// maxTableDim limits the number of columns of a table. Climate has 2,250.
const maxTableDim = 1 << 16

// OpenTableData reads a data set from dir, or returns the bundled data set.
func OpenTableData(ctx context.Context, dir, name string) (*scoring.Dataset, error) {
	if dir == "" {
		if name != "macrodata.csv" {
			return nil, fs.ErrNotExist
		}
		return dataset.Macrodata(), nil
	}
	c := config.Default()
	c.Input.Set(&wire.FileInput{Path: filepath.Join(dir, filepath.FromSlash(name))})
	c.Pipeline.MaxDim = maxTableDim
	src, err := wire.OpenFile(c)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	records, err := study.ReadRecords(ctx, name, src, src.Decoder())
	if err != nil {
		return nil, err
	}
	samples, err := records.Samples(ctx, c, 0)
	if err != nil {
		return nil, err
	}
	s := &samples.Series[0]
	if len(samples.Series) > 1 || samples.Refusals.Total() > 0 {
		return nil, fmt.Errorf("%s: a table needs one series of the same variables; %s", name, samples.Refusals.String())
	}
	return &scoring.Dataset{Name: name, Variables: s.Variables, Series: []scoring.Series{{Name: s.Name, Times: s.Times, Rows: s.Rows}}}, nil
}

// Meets reports whether the mean over the seeds is at most the target of e.
func Meets(e *Experiment, m Repeated) bool { return m.MSE.Mean <= e.Target }

// TablesJSON returns the tables for --output json.
func TablesJSON(rows []*TableRow) map[string]any {
	type pair struct {
		MSE     report.Number `json:"scv_mse"`
		SD      report.Number `json:"scv_mse_sd"`
		Seconds report.Number `json:"fit_seconds,omitempty"`
	}
	type repeated struct {
		Model string        `json:"model"`
		MSE   report.Number `json:"scv_mse"`
		MSESD report.Number `json:"scv_mse_sd_over_seeds"`
		SD    report.Number `json:"scv_mse_sd"`
		Seeds int           `json:"seeds"`
		Fit   report.Number `json:"fit_seconds,omitempty"`
		Met   *bool         `json:"target_met,omitempty"`
	}
	type row struct {
		Table       string `json:"table"`
		Name        string `json:"name"`
		Rows        int    `json:"rows"`
		Dim         int    `json:"dim"`
		Scored      int    `json:"scored"`
		Window      int    `json:"window"`
		Persistence pair   `json:"persistence"`
		Published   struct {
			VAR1    pair  `json:"var1"`
			ORFFVAR pair  `json:"orffvar"`
			OKVAR   *pair `json:"okvar,omitempty"`
		} `json:"published"`
		Reproduced struct {
			VAR1     pair          `json:"var1"`
			ORFFVAR  repeated      `json:"orffvar"`
			OKVAR    *pair         `json:"okvar,omitempty"`
			Training report.Number `json:"orffvar_training_mse,omitempty"`
		} `json:"reproduced"`
		Online []repeated    `json:"online"`
		Target report.Number `json:"target,omitempty"`
		Notes  []string      `json:"notes,omitempty"` // corrections of printed figures, and actual settings
	}
	of := func(p Published) pair {
		return pair{report.Number(p.MSE), report.Number(p.SD), report.Number(p.Seconds)}
	}
	over := func(r Repeated) repeated {
		return repeated{r.Name, report.Number(r.MSE.Mean), report.Number(r.MSE.SD), report.Number(r.SD.Mean), r.MSE.N, report.Number(r.Seconds), nil}
	}
	out := []row{}
	for _, r := range rows {
		o := row{
			Table: r.Experiment.Table, Name: r.Experiment.Name, Rows: r.Rows, Dim: r.Dim,
			Scored: r.Scored, Window: r.Experiment.Window, Persistence: of(r.Persistence), Notes: r.Experiment.Notes,
		}
		o.Published.VAR1, o.Published.ORFFVAR = of(r.Experiment.VAR1), of(r.Experiment.ORFFVAR)
		o.Reproduced.VAR1, o.Reproduced.ORFFVAR = of(r.VAR1), over(r.ORFFVAR)
		if r.OKVAR.MSE > 0 {
			published, ours := of(r.Experiment.OKVAR), of(r.OKVAR)
			o.Published.OKVAR, o.Reproduced.OKVAR = &published, &ours
		}
		if r.Experiment.Training {
			o.Reproduced.Training = report.Number(r.Training.Mean)
		}
		for _, m := range r.Online {
			v := over(m)
			if e := &r.Experiment; e.Target > 0 {
				met := Meets(e, m)
				v.Met, o.Target = &met, report.Number(e.Target)
			}
			o.Online = append(o.Online, v)
		}
		out = append(out, o)
	}
	return map[string]any{"results": out}
}
