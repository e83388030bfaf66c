package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file/filesink"
)

func (a *app) forecastCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "forecast FILE...",
		Short: "Learn a file and print the next forecasts",
		Long: `forecast learns a file (.csv, .txt, .jsonl, .lp, each also with .gz, .zst or .zip;
.parquet, .arrow, .feather, .xlsx, .tsf; - is standard input) and prints the next
--horizon steps of each series with their intervals. Several files, a pattern in quotes or
a folder are one data set.

With --known-inputs, the last rows may have only exogenous inputs (model.exogenous):
their values at the times that are forecast.

With --follow, a program writes lines to a pipe and reads one line of JSON for each: the
forecasts after it, as replay writes them, or why it was refused.`,
		Example: `  forecaster forecast data.csv --horizon 12
  forecaster forecast data.csv --horizon 12 --out next.csv
  forecaster forecast data.csv --horizon 12 --plot next.png
  forecaster forecast data.csv --horizon 12 --output json
  forecaster forecast 'data/*.parquet' --horizon 12
  some-program | forecaster forecast - --follow --state ./state`,
		Args:        cobra.MinimumNArgs(1),
		Annotations: map[string]string{outputsAnnotation: "table,csv,json"},
		RunE:        func(cmd *cobra.Command, args []string) error { return a.forecast(cmd, args) },
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	cmd.Flags().String("out", "", "file for the forecasts: .csv, .jsonl or .parquet")
	columnsFlag(cmd)
	cmd.Flags().String("series", "", "series name for rows without one (default: the file's name)")
	knownInputsFlag(cmd)
	cmd.Flags().Bool("follow", false, "answer each line of the file with the forecasts after it, as a line of JSON")
	cmd.Flags().String("state", "", "with --follow: directory of the checkpoint to start from and to leave")
	cmd.Flags().String("plot", "", "picture of the last rows and forecasts of the first variable: .png or .svg")
	cmd.Flags().String("report", "", "write a page with tables and plots to this .html file")
	return cmd
}

func (a *app) forecast(cmd *cobra.Command, paths []string) error {
	path := paths[0]
	follow, _ := cmd.Flags().GetBool("follow")
	for _, name := range []string{"out", "plot", "report", knownFlag} {
		if follow && cmd.Flags().Changed(name) {
			return &usageError{fmt.Errorf("--%s: not with --follow, which prints an answer to each line", name)}
		}
	}
	cfg, err := a.load(cmd, append([]setting{
		{"out", "output.file.path"}, {"columns", "output.file.columns"}, {"series", "input.file.series"},
	}, modelSettings...), onlyFile("forecast", paths...)...)
	if err != nil {
		return err
	}
	state, _ := cmd.Flags().GetString("state")
	if follow {
		cfg.Output = config.Output{}
		return job.Follow(cmd.Context(), cfg, state, a.notices(cfg.Log), func(b *stream.Batch) error { return a.answer(cfg, b) })
	} else if state != "" {
		return &usageError{errors.New("--state: only with --follow; replay --state learns a file and leaves a checkpoint")}
	}
	plot, _ := cmd.Flags().GetString("plot")
	page, _ := cmd.Flags().GetString("report")
	if err := cmp.Or(wire.CheckOutput("--plot", plot, path, ".png", ".svg"), wire.CheckOutput("--report", page, path, ".html", ".htm")); err != nil {
		return err
	}
	written := *cfg
	if f := wire.OutputFile(cfg); f != nil {
		if err := cmp.Or(wire.CheckOutput("--out", f.Path, path), wire.CheckForecasts("--out", f.Path)); err != nil {
			return err
		}
	}
	cfg.Output = config.Output{} // only the last forecasts are printed
	gaps := job.NewGapWatch(cfg)
	last := job.NewNewestForecasts()
	var counters job.CounterWatch
	taps := []stream.Sink{last, gaps, &counters}
	var draws *study.Tracer
	if plot != "" || page != "" {
		draws = &study.Tracer{Model: cfg.Model.Type, Horizon: wire.Emitted(cfg)[0], Levels: cfg.Model.Levels}
		taps = append(taps, draws)
	}
	known, _ := cmd.Flags().GetBool(knownFlag)
	replayed, err := job.Replay(cmd.Context(), cfg, job.ReplayOptions{
		Log: a.notices(cfg.Log), Known: known, Taps: taps, Watch: a.watch("learning"),
	})
	if err = errors.Join(err, cmd.Context().Err()); err != nil {
		return err
	}
	if text := replayed.Refusals.String(); text != "" {
		fmt.Fprintln(a.stderr, text)
	}
	a.say(append(job.CounterNotes(cfg, &counters.Courses, replayed.Resets), gaps.Hint(), gaps.Order())...)
	batch := stream.Batch{Forecasts: last.All()}
	if len(batch.Forecasts) == 0 {
		return noForecast(path, replayed)
	}
	a.say(inputsEnd(batch.Forecasts, replayed.KnownUntil), withoutValue(batch.Forecasts))
	if n := withoutInterval(&batch); n > 0 && len(cfg.Model.Levels) > 0 {
		a.say(fmt.Sprintf("no interval for %s of %s: intervals of a step begin after 20 forecast errors at this step, 100 with model.intervals=quantile",
			plural.Thousands(n), plural.Count(len(batch.Forecasts), "forecast")))
	}
	table := forecastTable(cfg, &batch)
	if draws != nil {
		if err := a.drawForecasts(draws, table, path, plot, page); err != nil {
			return err
		}
	}
	if cmd.Flags().Changed("out") {
		err = wire.WriteForecasts(cmd.Context(), &written, &batch)
		if err == nil {
			fmt.Fprintf(a.stderr, "forecasts: %s\n", wire.OutputFile(&written).Path)
		}
		if err != nil || a.output == "table" {
			return errors.Join(err, checkRefused(cmd, &replayed.Refusals, replayed.Records))
		}
	}
	switch a.output {
	case "csv":
		enc := filesink.CSV{Levels: cfg.Model.Levels, Joint: cfg.Model.Joint, Limits: len(cfg.Model.Limits) > 0}
		_, err = a.stdout.Write(enc.AppendBatch(enc.AppendHeader(nil), &batch))
	case "json":
		err = writeJSON(a.stdout, map[string]any{"dataset": path, "model": cfg.Model.Type, "forecasts": forecastPoints(cfg, &batch)})
	default:
		table.Print(a.stdout, a.wide)
	}
	if err != nil {
		return err
	}
	return checkRefused(cmd, &replayed.Refusals, replayed.Records)
}

// withoutInterval counts the forecasts of b without an interval for any variable.
func withoutInterval(b *stream.Batch) (n int) {
	for i := range b.Forecasts {
		if !slices.ContainsFunc(b.Forecasts[i].Lower, func(v float64) bool { return v == v }) {
			n++
		}
	}
	return n
}

// withoutValue returns a note on the first variable without any value, which has no forecast.
func withoutValue(forecasts []stream.Forecast) string {
	for i := range forecasts {
		f := &forecasts[i]
		if j := slices.IndexFunc(f.Yhat, math.IsNaN); j >= 0 {
			return fmt.Sprintf("no forecast for %s of series %s: it has no value", f.Series.Variables[j], f.Series.Name)
		}
	}
	return ""
}

// drawForecasts writes a plot to plot and an HTML page to page. An empty path: none.
func (a *app) drawForecasts(draws *study.Tracer, t report.Table, path, plot, page string) error {
	rep := &report.Report{Title: filepath.Base(path), Tables: []report.Table{t}}
	if t := draws.Finish(); t != nil {
		rep.Traces = []*report.Trace{t}
		a.say(t.FirstOfSeveral())
	}
	if plot != "" {
		if err := rep.WritePlot(plot); err != nil {
			return prefixed("--plot", err)
		}
		fmt.Fprintf(a.stderr, "plot: %s\n", plot)
	}
	return report.Outputs{Page: page, Made: "forecaster " + wire.ReadInfo().Version}.Write(a.stderr, rep)
}

// forecastTable has one row per series, step and variable. Each row has a lower and an upper bound per level and,
// with limits, the probability that the limit has been reached.
func forecastTable(c *config.Config, b *stream.Batch) report.Table {
	levels := c.Model.Levels
	t := report.Table{Title: "Forecasts", Numeric: 3, Header: []string{"series", "time", "target", "yhat"}}
	if c.Input.TimeZone != "UTC" { // else a reader takes the times for those of the file
		t.Header[1] = "time\nUTC"
	}
	for _, level := range levels {
		name := report.Number(100*level).String() + " %"
		t.Header = append(t.Header, "lower\n"+name, "upper\n"+name)
	}
	joint := b.Forecasts[0].JointLower != nil
	if joint {
		t.Header = append(t.Header, "joint lower", "joint upper")
	}
	if b.Forecasts[0].Reach != nil {
		t.Header = append(t.Header, "at limit\nby then")
	}
	for i := range b.Forecasts {
		f := &b.Forecasts[i]
		dim := len(f.Yhat)
		for j, target := range f.Series.Variables {
			if slices.Contains(c.Pipeline.Rate, target) {
				target += " per second"
			}
			numbers := []report.Number{report.Number(f.Yhat[j])}
			for l := range levels {
				numbers = append(numbers, report.Number(f.Lower[l*dim+j]), report.Number(f.Upper[l*dim+j]))
			}
			if joint {
				numbers = append(numbers, report.Number(f.JointLower[j]), report.Number(f.JointUpper[j]))
			}
			row := []string{f.Series.Name, study.TableTime(time.Unix(0, f.Time).UTC().Format(time.RFC3339Nano)), target}
			row = append(row, report.Apart(6, numbers...)...)
			if f.Reach != nil {
				row = append(row, probability(f.Reach[j]))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	study.AlignTimes(t, 1)
	return t
}

// probability prints p with two digits, but near 0 and 1, where its error is larger than the distance, a bound.
func probability(p float64) string {
	switch {
	case p > 0 && p < .01:
		return "< 0.01"
	case p > .99 && p < 1:
		return "> 0.99"
	}
	return report.Number(p).Digits(2)
}

// noForecast returns the error for a file after which no forecast exists.
func noForecast(path string, r *job.Replayed) error {
	why := "the file is too short for the model, with %s of %s"
	switch refused := r.Refusals.Total(); {
	case refused > 0:
		why = "too few rows are left, " + plural.Thousands(r.Records-refused) + " of %s, for %s"
	case r.Records >= 2*r.Series:
		why = "too few of the rows have values, with %s of %s"
	}
	return fmt.Errorf("%s: no forecast: "+why+"; a forecast needs two rows of a series", path,
		plural.Count(r.Records, "row"), plural.Count(r.Series, "series"))
}

// answer prints the forecasts after one line of input.
func (a *app) answer(cfg *config.Config, b *stream.Batch) error {
	var line struct {
		Forecasts []forecastPoint `json:"forecasts"`
		Refused   string          `json:"refused,omitempty"`
	}
	line.Forecasts = forecastPoints(cfg, b)
	if len(b.DeadLetters) > 0 {
		line.Refused = fmt.Sprintf("%s: %s", b.DeadLetters[0].Reason, b.DeadLetters[0].Detail)
	}
	return json.NewEncoder(a.stdout).Encode(line)
}

// forecastPoint is the forecast of one variable in JSON.
type forecastPoint struct {
	Series    string         `json:"series"`
	Target    string         `json:"target"`
	Time      string         `json:"time"`
	Horizon   int            `json:"horizon"`
	Yhat      report.Number  `json:"yhat"`
	Intervals []intervalJSON `json:"intervals"`
	Joint     *intervalJSON  `json:"joint,omitempty"`             // joint region at the first level
	Reach     *report.Number `json:"limit_probability,omitempty"` // probability that the limit is reached by Time
}

type intervalJSON struct {
	Level report.Number `json:"level"`
	Lower report.Number `json:"yhat_lower"`
	Upper report.Number `json:"yhat_upper"`
}

// forecastPoints returns one element per series, step and variable, with the bounds of each level.
func forecastPoints(c *config.Config, b *stream.Batch) []forecastPoint {
	points := []forecastPoint{}
	for i := range b.Forecasts {
		f := &b.Forecasts[i]
		dim := len(f.Yhat)
		for j, target := range f.Series.Variables {
			p := forecastPoint{
				Series: f.Series.Name, Target: target, Time: time.Unix(0, f.Time).UTC().Format(time.RFC3339Nano),
				Horizon: f.Horizon, Yhat: report.Number(f.Yhat[j]), Intervals: []intervalJSON{},
			}
			for l, level := range c.Model.Levels {
				p.Intervals = append(p.Intervals, intervalJSON{report.Number(level), report.Number(f.Lower[l*dim+j]), report.Number(f.Upper[l*dim+j])})
			}
			if f.JointLower != nil {
				p.Joint = &intervalJSON{report.Number(c.Model.Levels[0]), report.Number(f.JointLower[j]), report.Number(f.JointUpper[j])}
			}
			if f.Reach != nil && f.Reach[j] == f.Reach[j] {
				p.Reach = new(report.Number(f.Reach[j]))
			}
			points = append(points, p)
		}
	}
	return points
}
