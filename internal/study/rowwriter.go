package study

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/orffvar/forecaster/internal/report"
)

// RowWriter writes an AnomalyReport as JSON. The rows with a score come first, and are written as they arrive.
type RowWriter struct {
	w     *bufio.Writer
	skip  int // number of history rows
	began bool
	text  bytes.Buffer
	err   error
}

// NewRowWriter returns a writer to w; skip is Anomalies.Skip.
func NewRowWriter(w io.Writer, skip int) *RowWriter {
	return &RowWriter{w: bufio.NewWriter(w), skip: skip}
}

// scoredRow is the score of a row.
type scoredRow struct {
	Series    string          `json:"series"`
	Row       int             `json:"row"`
	Time      string          `json:"time"`
	Score     report.Number   `json:"score"`
	State     report.Number   `json:"state_score"`
	View      string          `json:"view,omitempty"`
	Anomalous bool            `json:"is_anomaly"`          // above the threshold, within an anomaly
	Variables []variableShare `json:"variables,omitempty"` // main variables of an anomalous row
}

// See writes a row: a function for Anomalies.See.
func (w *RowWriter) See(s *scoredSeries, sc RowScore) {
	a := scoredRow{Series: s.Name, Row: sc.row - w.skip, Time: rowTime(sc.time), Score: report.Number(sc.Score), State: report.Number(sc.State), Anomalous: sc.anomalous, View: viewName(sc.view)}
	for _, v := range sc.who {
		a.Variables = append(a.Variables, newVariableShare(s.Variables[v.variable], v.share, &v.rowValue))
	}
	between := ",\n    "
	if !w.began {
		between, w.began = "{\n  \"rows\": [\n    ", true
	}
	_, _ = w.w.WriteString(between) // End returns the error
	_, _ = w.w.Write(w.encode(a, "    "))
}

// encode returns the JSON of a value without the final newline.
func (w *RowWriter) encode(v any, prefix string) []byte {
	w.text.Reset()
	e := json.NewEncoder(&w.text)
	e.SetIndent(prefix, "  ")
	e.SetEscapeHTML(false)
	w.err = errors.Join(w.err, e.Encode(v))
	return bytes.TrimSpace(w.text.Bytes())
}

// End writes the rest of the report.
func (w *RowWriter) End(r *AnomalyReport) error {
	before := "\n  ],\n"
	if !w.began {
		before = "{\n  \"rows\": [],\n"
	}
	rest := bytes.TrimPrefix(w.encode(r, ""), []byte("{\n"))
	_, _ = w.w.WriteString(before)
	_, _ = w.w.Write(append(rest, '\n'))
	return errors.Join(w.err, w.w.Flush())
}
