package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/varmodel"
)

func (a *app) anomaliesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "anomalies FILE",
		Short: "Find the rows that are unusual, and say why",
		Long: `anomalies learns a file and scores each row before it learns from it. A score
above 1 is an alarm. It is the largest of three:

  level   the mean of the last 50 rows is away from that of the series, by more than
          one standard deviation on (quadratic) average over the variables
  noise   the forecast errors of the last 50 rows are larger or smaller than usual,
          by a factor of three in their squares
  jump    the row is away from its forecast, by more than twelve mean errors

Consecutive alarms are one line of the table, with the variables that are behind
it. --score level-sets takes the level sets of Brault's thesis, chapter 9, instead:
how far the last --order rows lie outside of them, as a rank in [0, 1] among the last
500. With --labels, a file of times and a column "anomaly" of 0 and 1, the table says
how the scores agree with the labels, beside a rolling z-score.`,
		Example: `  forecaster anomalies data.csv --top 20
  forecaster anomalies test.csv --history train.csv --labels test_labels.csv
  forecaster anomalies data.csv --score level-sets --order 3 --output json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.anomalies(cmd, args[0]) },
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	_ = cmd.Flags().MarkHidden("horizon")
	cmd.Flags().String("score", "surprise", "surprise or level-sets")
	cmd.Flags().Int("top", 10, "lines of the table")
	labelFlags(cmd)
	return cmd
}

// anomalyReport is what anomalies prints.
type anomalyReport struct {
	Dataset    string      `json:"dataset"`
	Score      string      `json:"score"`
	Threshold  number      `json:"threshold"`
	Stretches  []stretch   `json:"stretches"`
	Rows       []anomaly   `json:"rows"`
	Detections []detection `json:"detections,omitempty"`

	refused string
}

// anomaly is the score of a row.
type anomaly struct {
	Series    string          `json:"series"`
	Row       int             `json:"row"`
	Time      string          `json:"time"`
	Score     number          `json:"score"`
	View      string          `json:"view,omitempty"`
	Variables []variableShare `json:"variables,omitempty"` // of an alarm

	at int64
}

// stretch is a run of alarms; what it says is of its highest row.
type stretch struct {
	Series    string          `json:"series"`
	From      string          `json:"from"`
	To        string          `json:"to"`
	Rows      int             `json:"rows"`
	Score     number          `json:"score"`
	View      string          `json:"view,omitempty"`
	Variables []variableShare `json:"variables,omitempty"`
}

// variableShare is a share of a score by the name of the variable.
type variableShare struct {
	Name  string `json:"name"`
	Share number `json:"share"`
}

func (a *app) anomalies(cmd *cobra.Command, path string) error {
	f := cmd.Flags()
	top, _ := f.GetInt("top")
	kind, _ := f.GetString("score")
	cfg, err := a.load(cmd, modelSettings, onlyFile("anomalies", path)...)
	if err != nil {
		return err
	}
	if kind != "surprise" && kind != "level-sets" {
		return &usageError{fmt.Errorf("--score: must be surprise or level-sets, got %q", kind)}
	}
	data, refused, err := readDataset(cmd.Context(), cfg)
	if err != nil {
		return err
	}
	marked, before, err := readLabelled(cmd, cfg, data, 0, 0)
	if err != nil {
		return err
	}
	cfg.Model.Horizon, cfg.Model.Levels = 1, nil
	var all [][]surprise
	r := &anomalyReport{Dataset: path, Score: kind, Threshold: alarmLimit, refused: refused}
	if kind == "level-sets" {
		r.Threshold = levelSetLimit
		all, err = levelSetScores(cmd.Context(), cfg.Model, data)
	} else {
		all, err = surpriseScores(cmd.Context(), cfg.Model, data)
	}
	if err != nil {
		return err
	}
	r.list(data, all, before)
	if marked != nil {
		var flat []float64
		for _, series := range all {
			for _, s := range series {
				flat = append(flat, s.score)
			}
		}
		name := kind
		if kind == "surprise" {
			name = cfg.Model.Type
		}
		r.Detections = append([]detection{detect(name, flat, float64(r.Threshold), marked)}, zDetections(data, marked)...)
	}
	if a.output == "json" {
		return writeJSON(a.stdout, r)
	}
	r.print(a.stdout, max(top, 0))
	return nil
}

// surpriseScores are those of eval.Surprise with the forecasts of the model.
func surpriseScores(ctx context.Context, c config.Model, data *eval.Dataset) ([][]surprise, error) {
	m, err := newModel(c, data.Dim(), len(data.Series) > 1)
	if err != nil {
		return nil, err
	}
	s := newSurprises(data)
	_, err = eval.Prequential(m, data, eval.Options{OnStep: func(st eval.Step) error {
		s.step(nil, st)
		return ctx.Err()
	}})
	var all [][]surprise
	for i := range s.series {
		all = append(all, s.series[i].scores)
	}
	return all, err
}

// levelSetLimit is the threshold of the rank that level sets give.
const levelSetLimit = .99

func levelSetScores(ctx context.Context, c config.Model, data *eval.Dataset) ([][]surprise, error) {
	plain, err := varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: data.Dim(), Horizon: 1})
	if err != nil {
		return nil, err
	}
	m, err := varmodel.NewLevelSets(plain, varmodel.LevelSetConfig{Dim: data.Dim(), Order: c.Order, Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	var all [][]surprise
	for _, s := range data.Series {
		f, ok := m.NewSeries().(eval.Detector)
		if !ok {
			return nil, errors.New("the model has no scores")
		}
		scores := make([]surprise, len(s.Rows))
		for i, row := range s.Rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := f.Observe(row); err != nil {
				return nil, fmt.Errorf("%s, row %d: %w", s.Name, i, err)
			}
			scores[i] = surprise{score: math.NaN(), view: -1}
			if score, ok := f.Anomaly(); ok {
				scores[i].score = score
			}
		}
		all = append(all, scores)
	}
	return all, nil
}

// list fills in the rows that have a score, without the first ones of each series,
// and the stretches of alarms among them, highest first.
func (r *anomalyReport) list(data *eval.Dataset, all [][]surprise, without int) {
	r.Rows, r.Stretches = []anomaly{}, []stretch{}
	for i, s := range data.Series {
		last := -2 // row of the last alarm
		for row := without; row < len(s.Rows); row++ {
			sc := all[i][row]
			if math.IsNaN(sc.score) {
				continue
			}
			a := anomaly{Series: s.Name, Row: row - without, Score: number(sc.score), at: s.Times[row]}
			a.Time = time.Unix(0, a.at).UTC().Format(time.RFC3339Nano)
			if sc.view >= 0 {
				a.View = sc.view.String()
			}
			for _, w := range sc.who {
				a.Variables = append(a.Variables, variableShare{data.Variables[w.variable], number(w.share)})
			}
			r.Rows = append(r.Rows, a)
			if a.Score <= r.Threshold {
				continue
			}
			if row != last+1 {
				r.Stretches = append(r.Stretches, stretch{Series: a.Series, From: a.Time})
			}
			last = row
			st := &r.Stretches[len(r.Stretches)-1]
			st.To = a.Time
			st.Rows++
			if a.Score > st.Score {
				st.Score, st.View, st.Variables = a.Score, a.View, a.Variables
			}
		}
	}
	slices.SortStableFunc(r.Stretches, func(x, y stretch) int { return cmp.Compare(y.Score, x.Score) })
}

func (r *anomalyReport) print(w io.Writer, top int) {
	alarms := 0
	for _, s := range r.Stretches {
		alarms += s.Rows
	}
	fmt.Fprintf(w, "%s: %s of %s scored rows above %v, in %s stretches\n", r.Dataset,
		thousands(int64(alarms)), thousands(int64(len(r.Rows))), r.Threshold, thousands(int64(len(r.Stretches))))
	t := newTable(3, "series", "from", "to", "rows", "score", "view", "variables")
	for _, s := range r.Stretches[:min(top, len(r.Stretches))] {
		var who []string
		for _, v := range s.Variables {
			who = append(who, fmt.Sprintf("%s %.0f %%", v.Name, 100*float64(v.Share)))
		}
		t.AppendRow([]any{s.Series, s.From, s.To, thousands(int64(s.Rows)), s.Score.fixed(2), s.View, strings.Join(who, ", ")})
	}
	if t.Length() > 0 {
		fmt.Fprintln(w, t.Render())
	}
	if n := len(r.Stretches) - top; n > 0 {
		fmt.Fprintf(w, "and %s more; --top %d, or --output json\n", thousands(int64(n)), len(r.Stretches))
	}
	if len(r.Detections) > 0 {
		t := detectionTable(r.Detections)
		fmt.Fprintln(w, t.Caption)
		printTable(w, t)
	}
	if r.refused != "" {
		fmt.Fprintf(w, "left out: %s\n", r.refused)
	}
}
