package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
)

// Evaluation is the output of evaluate.
type Evaluation struct {
	Dataset     string       `json:"dataset"`
	Rows        int          `json:"rows"`
	Dim         int          `json:"dim"`
	Results     []Result     `json:"results"`
	Comparisons []comparison `json:"comparisons,omitempty"`
	Detections  []Detection  `json:"detections,omitempty"`

	Pooled    bool      `json:"-"`                   // mse adds variables of different units, so comparisons use nmse
	Seasons   []Seasons `json:"seasons,omitempty"`   // seasons of the models after the last row
	Baselines []Score   `json:"baselines,omitempty"` // simple forecasts on the same targets
	Season    int       `json:"baseline_season"`     // period of the baseline seasonal, in samples; 0: the baseline is left out
	Means     []Mean    `json:"means,omitempty"`     // by model and baseline: means over the horizons

	Limits []LimitScore `json:"limits,omitempty"` // by variable in model.limits
}

// Seasons are the seasons in a model of a series.
type Seasons struct {
	Model   string `json:"model"`
	Series  string `json:"series"`
	Samples []int  `json:"samples"` // periods in samples, strongest first
}

// Result is a score with further fields of evaluate.
type Result struct {
	Score
	Seeds   int           `json:"seeds"`
	MSESD   report.Number `json:"mse_sd"`  // standard deviation of MSE over the seeds
	NMSESD  report.Number `json:"nmse_sd"` // that of NMSE
	Refused int64         `json:"refused"` // number of refused records

	// CRPS is the continuous ranked probability score of nine quantiles, see eval.CRPS; mean over variables, first seed.
	CRPS report.Number `json:"crps"`

	// LowestCoverage and LowWindows are the coverage in windows of 500 forecasts of one variable; first seed.
	LowestCoverage report.Number `json:"lowest_coverage"` // lowest coverage of a window
	LowWindows     report.Number `json:"low_windows"`     // share of the windows with a coverage more than 0.15 below the level
}

// Options select the scored rows and horizons of every model.
type Options struct {
	Horizons  []int // ascending
	From, To  int   // scored rows of each series: From <= row < To; To = 0: to the end
	ScaleRows int   // number of first rows whose standard deviation divides the errors; 0: units of the data
	Pooled    bool  // compute Outcome.Scaled, because the variables have different units
	Seeds     int   // at least 1

	// Labels mark the anomalies that the anomaly scores should find. Without Labels and Draws there are no anomaly
	// scores.
	Labels *Labels

	// Draws: the observers of a candidate include a Tracer.
	Draws bool
}

// Check returns an error if no series of data has a row to score, or if ScaleRows exceeds the rows of the file. The first
// before rows of each series are not scored.
func (o Options) Check(data *Samples, before int) error {
	if err := data.checkForecast(o.Horizons[0]); err != nil {
		return err
	}
	rows := data.longest() - before
	has := fmt.Sprintf("%s has %s", data.Name, plural.Count(rows, "row"))
	if from := o.From - before; from >= rows {
		return &config.UsageError{Err: fmt.Errorf("--score-rows, --window: no row from %d on can be scored: %s, counted from 0", from, has)}
	}
	if o.ScaleRows > rows {
		return &config.UsageError{Err: fmt.Errorf("--scale-rows: must be at most the rows of the file, got %d: %s", o.ScaleRows, has)}
	}
	return nil
}

// Scored reports whether a row of a series is scored.
func (o *Options) Scored(_, row int) bool { return row >= o.From && (o.To == 0 || row < o.To) }

// meanTo returns the number of horizons in the mean errors; 0: no mean errors.
func (o *Options) meanTo() int {
	if last := o.Horizons[len(o.Horizons)-1]; last > 1 && last <= meanHorizons {
		return last
	}
	return 0
}

// evaluation returns the settings of the engine for o.
func (o *Options) evaluation(ctx context.Context, c *config.Config, records *Records) (e engine.Evaluation, err error) {
	e = engine.Evaluation{From: int64(o.From), To: int64(o.To), MeanTo: o.meanTo()}
	if o.ScaleRows > 0 {
		e.Scale, err = records.scales(ctx, c, o.ScaleRows, o.From, o.To)
	}
	return e, err
}

// scales returns a function with the scoring.Scale of each series. It reads all rows.
func (r *Records) scales(ctx context.Context, c *config.Config, first, from, to int) (func(s *stream.Series) []float64, error) {
	key := fmt.Sprint(first, from, to)
	if r.spreads[key] == nil {
		var spreads []scoring.Spread
		samples, err := r.collect(ctx, c, &collector{see: func(series int, _ int64, row []float64) {
			if series == len(spreads) {
				spreads = append(spreads, scoring.Spread{First: first, From: from, To: to})
			}
			spreads[series].Add(row)
		}})
		if err != nil {
			return nil, err
		}
		scales := make(map[string][]float64)
		for i := range samples.Series {
			scales[samples.Series[i].key()] = spreads[i].Scale()
		}
		if r.spreads == nil {
			r.spreads = make(map[string]map[string][]float64)
		}
		r.spreads[key] = scales
	}
	known := make(map[*stream.Series][]float64)
	return func(s *stream.Series) []float64 {
		scale, ok := known[s]
		if !ok {
			scale = r.spreads[key][(&Series{Name: s.Name, Variables: s.Variables}).key()]
			known[s] = scale
		}
		return scale
	}, nil
}

// scaledLoss returns the mean of (error * scale)^2 over the known errors; NaN: no error is known.
func scaledLoss(errors, scale []float64) float64 {
	var n, sum float64
	for j, e := range errors {
		if v := e * scale[j]; !math.IsNaN(v) {
			n++
			sum += v * v
		}
	}
	return sum / n
}

// key identifies a series by its name and its variables.
func (s *Series) key() string { return strings.Join(append([]string{s.Name}, s.Variables...), "\x00") }

// scoresOf returns the scores of the model at each horizon, pooled over all series by the engine.
func scoresOf(e *engine.Engine, model string, horizons []int) []Score {
	var b engine.Results
	e.AppendScores(&b)
	var scores []Score
	for _, h := range horizons {
		score := NewScore("", model, h, scoring.NoScore())
		for i := range b.Metrics {
			m := &b.Metrics[i]
			if m.Model == model && m.Horizon == h && m.Target == stream.AllTargets && (m.Series.Name == stream.AllSeries || e.NumSeries() == 1) {
				score = NewScore("", model, h, m.Score)
			}
		}
		if model == wire.Reference { // compared with itself; NaN without an error, as for other models
			score.SkillVsVAR1 = report.Number(scoring.Skill(float64(score.MSE), float64(score.MSE)))
		}
		scores = append(scores, score)
	}
	return scores
}

// Repeats returns the number of runs of a model: seeds, or 1 for a model without random numbers.
func Repeats(c config.Model, seeds int) int {
	if !wire.IsRandom(c.Type) {
		return 1
	}
	return seeds
}

// fields returns the figures of a score that are averaged over seeds.
func (s *Score) fields() []*report.Number {
	return []*report.Number{
		&s.MSE, &s.RMSE, &s.MAE, &s.NMSE, &s.MASE, &s.SkillVsPersistence, &s.SkillVsVAR1,
		&s.SCVMSE, &s.SCVMSESD, &s.Coverage, &s.JointCoverage, &s.Width, &s.Pinball, &s.SamplesPerSecond,
	}
}

// ParseRows reads A:B; to = 0: B is missing, to the end.
func ParseRows(s string) (from, to int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	bad := fmt.Errorf("--score-rows: must have the form A:B with 0 <= A < B, got %q", s)
	a, b, ok := strings.Cut(s, ":")
	if !ok {
		return 0, 0, bad
	}
	if a != "" {
		if from, err = strconv.Atoi(a); err != nil || from < 0 {
			return 0, 0, bad
		}
	}
	if b != "" {
		if to, err = strconv.Atoi(b); err != nil || to <= from {
			return 0, 0, bad
		}
	}
	return from, to, nil
}

func (e *Evaluation) Headline() string {
	return fmt.Sprintf("%s: %s, %s", e.Dataset, plural.Count(e.Rows, "row"), plural.Count(e.Dim, "variable"))
}

// seasonNote lists the seasons that were found in up to three series.
func (e *Evaluation) seasonNote() string {
	var notes []string
	for i, s := range e.Seasons {
		if i == 3 {
			notes = append(notes, fmt.Sprintf("and %d more", len(e.Seasons)-i))
			break
		}
		notes = append(notes, fmt.Sprintf("%s, series %s: %s", s.Model, s.Series, engine.SeasonText(s.Samples)))
	}
	return "Found by " + strings.Join(notes, "; ") + "."
}

// unscoredNote lists the horizons without a scored target; "": all have one.
func (e *Evaluation) unscoredNote() string {
	var beyond []string
	for _, r := range e.Results {
		if h := strconv.Itoa(r.Horizon); r.N == 0 && !slices.Contains(beyond, h) {
			beyond = append(beyond, h)
		}
	}
	if beyond == nil {
		return ""
	}
	return fmt.Sprintf("\nHorizon %s: no forecast has a scored value as its target, the rows end before or have none.", strings.Join(beyond, ", "))
}

// Tables returns the result tables for the terminal and the report.
func (e *Evaluation) Tables() []report.Table {
	t := report.Table{
		Title: "Models", Caption: SkillNote, Numeric: 1,
		Header: []string{"model", "horizon", "n", "mse", "mse_se", "mae", "nmse", SkillVsPersistence, SkillVsVAR1, "coverage", "crps", "speed"},
		Spare:  []string{"speed", "mae", "crps", "n", "mse_se"},
	}
	for _, r := range e.Results {
		mse, nmse := r.MSE.String(), r.NMSE.Digits(3)
		if r.Seeds > 1 {
			mse += fmt.Sprintf(" ± %.2g", float64(r.MSESD))
			nmse += fmt.Sprintf(" ± %.2g", float64(r.NMSESD))
		}
		t.Rows = append(t.Rows, []string{
			r.Model, strconv.Itoa(r.Horizon), plural.Thousands(r.N), mse, r.MSESE.Digits(2), r.MAE.String(), nmse,
			r.SkillVsPersistence.Fixed(3), r.SkillVsVAR1.Fixed(3), r.Coverage.Fixed(3), r.CRPS.Digits(4), report.Rate(float64(r.SamplesPerSecond)),
		})
	}
	if e.Pooled {
		t.Wide = PooledErrors
	}
	t = WithJoint(t, e.Results, func(r Result) Score { return r.Score })
	t.Caption += e.unscoredNote()
	if len(e.Seasons) > 0 {
		t.Caption += "\n" + e.seasonNote()
	}
	tables := []report.Table{t}
	if c := e.comparisonTable(); len(c.Rows) > 0 {
		tables = append(tables, c)
	}
	if len(e.Baselines) > 0 {
		b := e.baselineTable()
		if e.Pooled {
			b.Wide = slices.DeleteFunc(slices.Clone(b.Header), func(name string) bool { return !strings.HasPrefix(name, "mse") })
		}
		tables = append(tables, b)
	}
	if len(e.Limits) > 0 {
		tables = append(tables, e.limitTable())
	}
	if len(e.Detections) > 0 {
		tables = append(tables, DetectionTable(e.Detections))
	}
	return tables
}
