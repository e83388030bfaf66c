package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/varmodel"
)

// AnomalyReport is what anomalies prints.
type AnomalyReport struct {
	Dataset    string        `json:"dataset"`
	Score      string        `json:"score"`
	Threshold  report.Number `json:"threshold"`
	Stretches  []stretch     `json:"stretches"`
	Rows       []anomaly     `json:"rows"`
	Detections []Detection   `json:"detections,omitempty"`

	Refused string `json:"-"` // rows left out, by reason
}

// anomaly is the score of a row.
type anomaly struct {
	Series    string          `json:"series"`
	Row       int             `json:"row"`
	Time      string          `json:"time"`
	Score     report.Number   `json:"score"`
	View      string          `json:"view,omitempty"`
	Anomalous bool            `json:"is_anomaly"`          // part of an anomaly, with the rows between its alarms
	Variables []variableShare `json:"variables,omitempty"` // of an anomaly

	at int64
}

// stretch is an anomaly; what it says is of its highest row.
type stretch struct {
	Series    string          `json:"series"`
	From      string          `json:"from"`
	To        string          `json:"to"`
	Rows      int             `json:"rows"`
	Score     report.Number   `json:"score"`
	View      string          `json:"view,omitempty"`
	Normal    bool            `json:"new_normal"` // it lasted until it was the new normal
	Variables []variableShare `json:"variables,omitempty"`
}

// variableShare is a share of a score by the name of the variable.
type variableShare struct {
	Name  string        `json:"name"`
	Share report.Number `json:"share"`
}

// AnomalyScores are those of eval.AnomalyScorer with the forecasts of the model.
func AnomalyScores(ctx context.Context, c config.Model, data *eval.Dataset) ([][]RowScore, error) {
	m, err := build.NewModel(c, data.Dim(), len(data.Series) > 1)
	if err != nil {
		return nil, err
	}
	s := NewAnomalies(c, data)
	_, err = eval.Prequential(m, data, eval.Options{OnStep: func(st eval.Step) error {
		s.step(nil, st)
		return ctx.Err()
	}})
	return s.Rows(), err
}

// LevelSetLimit is the threshold of the rank that level sets give.
const LevelSetLimit = .99

func LevelSetScores(ctx context.Context, c config.Model, data *eval.Dataset) ([][]RowScore, error) {
	plain, err := varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: data.Dim(), Horizon: 1})
	if err != nil {
		return nil, err
	}
	m, err := varmodel.NewLevelSets(plain, varmodel.LevelSetConfig{Dim: data.Dim(), Order: c.Order, Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	var all [][]RowScore
	for _, s := range data.Series {
		f := m.NewSeries()
		detector, ok := eval.As[eval.Detector](f)
		if !ok {
			return nil, errors.New("the model has no scores")
		}
		scores := make([]RowScore, len(s.Rows))
		for i, row := range s.Rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := f.Observe(row); err != nil {
				return nil, fmt.Errorf("%s, row %d: %w", s.Name, i, err)
			}
			scores[i] = RowScore{Score: math.NaN(), view: -1}
			if score, ok := detector.Anomaly(); ok {
				r := &scores[i]
				r.Score, r.anomalous = score, score > LevelSetLimit
				r.begins = r.anomalous && (i == 0 || !scores[i-1].anomalous)
			}
		}
		all = append(all, scores)
	}
	return all, nil
}

// list fills in the rows that have a score, without the first ones of each series,
// and the anomalies among them, highest first.
func (r *AnomalyReport) List(data *eval.Dataset, all [][]RowScore, without int) {
	r.Rows, r.Stretches = []anomaly{}, []stretch{}
	for i, s := range data.Series {
		open, first := false, 0
		for row := without; row < len(s.Rows); row++ {
			sc := all[i][row]
			if math.IsNaN(sc.Score) {
				continue
			}
			a := anomaly{Series: s.Name, Row: row - without, Score: report.Number(sc.Score), at: s.Times[row]}
			a.Time = time.Unix(0, a.at).UTC().Format(time.RFC3339Nano)
			if sc.view >= 0 {
				a.View = sc.view.String()
			}
			for _, w := range sc.who {
				a.Variables = append(a.Variables, variableShare{data.Variables[w.variable], report.Number(w.share)})
			}
			a.Anomalous = sc.anomalous
			r.Rows = append(r.Rows, a)
			if !sc.anomalous {
				continue
			}
			if sc.begins || !open {
				r.Stretches = append(r.Stretches, stretch{Series: a.Series, From: a.Time})
				open, first = true, a.Row
			}
			st := &r.Stretches[len(r.Stretches)-1]
			st.To, st.Rows, st.Normal = a.Time, a.Row-first+1, st.Normal || sc.normal
			if a.Score > st.Score {
				st.Score, st.View, st.Variables = a.Score, a.View, a.Variables
			}
		}
	}
	slices.SortStableFunc(r.Stretches, func(x, y stretch) int { return cmp.Compare(y.Score, x.Score) })
}
