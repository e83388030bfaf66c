package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/stream"
)

const demoTopic = "demo"

func (a *app) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run broker, model and live page in one process, without any set-up",
		Long: `demo publishes two series to a broker inside the process (an imitation of Kafka) and
runs the same job as "forecaster run" on them, with a page that stays until Ctrl-C:

  macrodata   203 quarters of 12 macroeconomic series of the USA, 1959 to 2009
  simulated   a nonlinear process of 5 variables (Brault 2017, Setting 2)`,
		Example: `  forecaster demo
  forecaster demo --rate 0
  forecaster demo --rate 200 --rows 5000 --out ./out`,
		Args: cobra.NoArgs,
	}
	modelFlags(cmd)
	var d demo
	f := cmd.Flags()
	f.Float64Var(&d.rate, "rate", 60, "samples per second of both series together; 0 = as fast as possible")
	f.IntVar(&d.rows, "rows", 2000, "samples of the simulated series")
	f.StringVar(&d.listen, "listen", "", "address of the page (default: 127.0.0.1:8090, or a free port)")
	f.StringVar(&d.dir, "out", "", "folder for the results (default: a new temporary one)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if d.rate < 0 || d.rows < 1 {
			return &usageError{errors.New("--rate must be >= 0 and --rows >= 1")}
		}
		d.app = a
		return d.run(cmd)
	}
	return cmd
}

// demo is one run of the command.
type demo struct {
	app    *app
	rate   float64
	rows   int
	dir    string
	listen string
}

// demoHorizon is the default of --horizon, in steps.
const demoHorizon = 12

func (d *demo) run(cmd *cobra.Command) error {
	a := d.app
	if d.dir == "" {
		dir, err := os.MkdirTemp("", "forecaster-demo-")
		if err != nil {
			return err
		}
		d.dir = dir
	} else if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return err
	}
	state, err := os.MkdirTemp("", "forecaster-demo-state-") // no other run can use it: each has its own broker
	if err != nil {
		return err
	}
	defer os.RemoveAll(state)
	messages := job.DemoMessages(d.rows)
	broker, err := devbroker.Start(1, []string{demoTopic})
	if err != nil {
		return err
	}
	defer broker.Close()
	d.say("A development broker listens on %s. It imitates Kafka for this demonstration; do not use it for anything else.", broker.Addr())
	d.say("Publishing %s samples of 2 series to topic %q, forecasting each before learning from it.", plural.Thousands(len(messages)), demoTopic)

	from := "demo"
	if !cmd.Flags().Changed("horizon") {
		a.sets = append(a.sets, fmt.Sprintf("model.horizon=%d", demoHorizon))
	}
	cfg, err := a.load(cmd, modelSettings,
		config.Setting{Path: "input.kafka.brokers", Value: broker.Addr(), From: from},
		config.Setting{Path: "input.kafka.topics", Value: demoTopic, From: from},
		config.Setting{Path: "output.file.path", Value: filepath.Join(d.dir, "forecasts.csv"), From: from},
		config.Setting{Path: "state.dir", Value: state, From: from},
		config.Setting{Path: "evaluate.window", Value: "0", From: from},
		config.Setting{Path: "evaluate.interval", Value: "10", From: from},
		config.Setting{Path: "log.level", Value: "error", From: from},
		config.Setting{Path: "server.enabled", Value: "true", From: from},
		config.Setting{Path: "server.listen", Value: d.address(), From: from},
	)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	log := a.logger(cfg.Log)
	live := job.NewLive(cfg, log, "A demonstration: the samples come from a development broker inside this process, which imitates Kafka.")
	last := &job.LastForecasts{}
	live.Taps = append(live.Taps, last)
	losses := make(demoLosses)
	live.Losses = losses.add
	stop, err := live.ServeHTTP()
	if err != nil {
		return err
	}
	defer stop()
	d.say("Live page: %s", live.Address)

	start := time.Now()
	produced := make(chan error, 1)
	go func() { produced <- job.Publish(ctx, broker.Addr(), demoTopic, messages, d.rate, log) }()
	consumed := make(chan error, 1)
	go func() { consumed <- live.Process(ctx) }()

	err = d.watch(ctx, live, last, int64(len(messages)), produced, consumed)
	elapsed := time.Since(start)
	cancel()
	if running := <-consumed; err == nil {
		err = running
	}
	interrupted := cmd.Context().Err() != nil
	if err != nil && !interrupted {
		return err
	}
	done, err := d.conclude(live, losses, elapsed)
	if err == nil && interrupted {
		err = fmt.Errorf("interrupted after %s of %s samples: scores and forecasts are those of these samples", plural.Thousands(done), plural.Thousands(len(messages)))
	}
	if err != nil {
		return err
	}
	if report.IsTerminal(a.stdout) {
		d.say("The page stays at %s until Ctrl-C.", live.Address)
		<-cmd.Context().Done()
	}
	return nil
}

// address returns the address of the page: --listen if set, else the default of server.listen, or a free port if
// that address is in use.
func (d *demo) address() string {
	if d.listen != "" {
		return d.listen
	}
	usual := config.Default().Server.Listen
	l, err := net.Listen("tcp", usual)
	if err != nil {
		return "127.0.0.1:0"
	}
	_ = l.Close() // no connection was accepted
	return usual
}

// watch redraws the progress until all messages are consumed.
func (d *demo) watch(ctx context.Context, live *job.Live, last *job.LastForecasts, total int64, produced, consumed chan error) error {
	view := newLiveView(d.app.stderr)
	defer view.clear()
	picture := time.NewTicker(250 * time.Millisecond)
	defer picture.Stop()
	end := time.NewTicker(5 * time.Millisecond) // much shorter than a redraw, so that the printed rate ends with the last sample
	defer end.Stop()
	start := time.Now()
	records := func() (n int64) {
		for _, s := range live.Stats() {
			n += s.Records
		}
		return n
	}
	for {
		select {
		case err := <-produced:
			if err != nil {
				return err
			}
			produced = nil
		case err := <-consumed:
			consumed <- nil // the caller receives from consumed, too
			if err == nil {
				err = ctx.Err()
			}
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-end.C:
			if records() == total {
				return nil
			}
		case <-picture.C:
			view.draw(d.picture(live, last, records(), total, time.Since(start)))
		}
	}
}

// picture returns the lines that the terminal shows while the demo runs.
func (d *demo) picture(live *job.Live, last *job.LastForecasts, records, total int64, elapsed time.Duration) string {
	var b strings.Builder
	const width = 40
	done := int(width * records / max(total, 1))
	fmt.Fprintf(&b, "Live page: %s\n", live.Address)
	fmt.Fprintf(&b, "%s%s %s of %s samples, %s\n", strings.Repeat("█", done), strings.Repeat("░", width-done),
		plural.Thousands(records), plural.Thousands(total), report.Rate(float64(records)/elapsed.Seconds()))
	t := report.NewTable(2, "series", "variable", "observed", "forecast", "last samples", "nmse skill vs persistence", "vs var1")
	skills := make(map[string]scoring.Score)
	live.Board.Each(func(k job.ScoreKey, s scoring.Score) {
		if k.Model == live.Cfg.Model.Type && k.Horizon == 1 {
			skills[k.Series] = s
		}
	})
	for _, s := range last.Snapshot() {
		skill, ok := skills[s.Series]
		vs, vsVAR := "-", "-"
		if ok {
			vs, vsVAR = report.Number(skill.SkillVsNaive).Fixed(3), report.Number(skill.SkillVsVAR).Fixed(3)
		}
		t.AppendRow([]any{s.Series, s.Variable, report.Number(s.Observed), report.Number(s.Forecast), report.Sparkline(s.Past), vs, vsVAR})
	}
	b.WriteString(t.Render())
	return b.String()
}

// conclude prints the scores and the next commands, and returns the number of samples.
func (d *demo) conclude(live *job.Live, losses demoLosses, elapsed time.Duration) (samples int64, err error) {
	result := demoReport{Folder: d.dir, Seconds: report.Number(elapsed.Seconds()), Results: []study.Score{}}
	for _, s := range live.Stats() {
		result.Samples += s.Records
		result.Forecasts += s.Forecasts
	}
	result.SamplesPerSecond = report.Number(float64(result.Samples) / elapsed.Seconds())
	live.Board.Each(func(k job.ScoreKey, s scoring.Score) {
		if k.Horizon != 1 && k.Horizon != live.Cfg.Model.Horizon {
			return // the first and the last horizon are enough
		}
		line := study.NewScore(k.Series, k.Model, k.Horizon, s)
		line.SamplesPerSecond = result.SamplesPerSecond
		if l := losses[k]; l != nil {
			line.MSESE = report.Number(l.StandardError(k.Horizon))
		}
		result.Results = append(result.Results, line)
	})
	if d.app.output == "json" {
		return result.Samples, writeJSON(d.app.stdout, result)
	}
	d.app.printDemo(d.app.stdout, &result)
	return result.Samples, nil
}

// demoLosses are the losses of all forecasts, for the standard errors.
type demoLosses map[job.ScoreKey]*scoring.Losses

// add implements engine.Evaluation.Losses. Every horizon is emitted, so losses has one element per step.
func (l demoLosses) add(s *stream.Series, model string, losses []float64) {
	for k, v := range losses {
		key := job.ScoreKey{Series: s.Name, Model: model, Horizon: k + 1}
		if l[key] == nil {
			l[key] = new(scoring.Losses)
		}
		l[key].Add(v)
	}
}

type demoReport struct {
	Folder           string        `json:"folder"`
	Samples          int64         `json:"samples"`
	Forecasts        int64         `json:"forecasts"`
	Seconds          report.Number `json:"seconds"`
	SamplesPerSecond report.Number `json:"samples_per_second"`
	Results          []study.Score `json:"results"`
}

func (a *app) printDemo(w io.Writer, r *demoReport) {
	t := report.Table{
		Caption: study.SkillNote, Numeric: 2,
		Header: []string{"series", "model", "horizon", "n", "mse", "mse_se", "nmse", study.SkillVsPersistence, study.SkillVsVAR1, "coverage\nof 90 %"},
		Wide:   study.PooledErrors, Spare: []string{"n"},
	}
	for _, s := range r.Results {
		t.Rows = append(t.Rows, []string{
			s.Series, s.Model, strconv.Itoa(s.Horizon), plural.Thousands(s.N), s.MSE.Digits(5), s.MSESE.Digits(2), s.NMSE.Digits(3),
			s.SkillVsPersistence.Fixed(3), s.SkillVsVAR1.Fixed(3), s.Coverage.Fixed(3),
		})
	}
	t.Print(w, a.wide)
	fmt.Fprintf(w, "%s samples through broker, model and files in %.1f s, %s.\n",
		plural.Thousands(r.Samples), float64(r.Seconds), report.Rate(float64(r.SamplesPerSecond)))
	fmt.Fprintf(w, `
Forecasts: %s (%s lines)

With your own Kafka and InfluxDB:
  edit configs/forecaster.yaml     brokers, topics, url, bucket
  forecaster lint -c configs/forecaster.yaml --connect
  forecaster run  -c configs/forecaster.yaml
With a file:
  forecaster replay FILE.csv --out forecasts.csv
  forecaster evaluate FILE.csv
`, filepath.Join(r.Folder, "forecasts.csv"), plural.Thousands(r.Forecasts))
}

// say prints a line to standard error.
func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.app.stderr, format+"\n", args...) }

// liveView redraws a few lines of a terminal in place. It prints nothing elsewhere.
type liveView struct {
	w     io.Writer
	on    bool
	lines int
}

func newLiveView(w io.Writer) *liveView { return &liveView{w: w, on: report.IsTerminal(w)} }

func (v *liveView) draw(picture string) {
	if !v.on {
		return
	}
	v.clear()
	fmt.Fprintln(v.w, picture)
	v.lines = strings.Count(picture, "\n") + 1
}

func (v *liveView) clear() {
	if v.on && v.lines > 0 {
		fmt.Fprint(v.w, "\033["+strconv.Itoa(v.lines)+"A\033[J")
		v.lines = 0
	}
}
