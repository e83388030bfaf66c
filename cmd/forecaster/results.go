package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/report"
)

// number is a float64 that is null in JSON when it is not finite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// String prints six significant digits, and a dash for what is undefined.
func (n number) String() string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return strconv.FormatFloat(float64(n), 'g', 6, 64)
}

// fixed prints n with the given number of decimals.
func (n number) fixed(decimals int) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return strconv.FormatFloat(float64(n), 'f', decimals, 64)
}

// score is one line of a table of scores, and one element of results in JSON.
type score struct {
	Series             string `json:"series,omitempty"`
	Model              string `json:"model"`
	Horizon            int    `json:"horizon"`
	N                  int64  `json:"n"`
	MSE                number `json:"mse"`
	RMSE               number `json:"rmse"`
	MAE                number `json:"mae"`
	NMSE               number `json:"nmse"`
	MASE               number `json:"mase"`
	SkillVsPersistence number `json:"skill_vs_persistence"`
	SkillVsVAR1        number `json:"skill_vs_var1"`
	SCVMSE             number `json:"scv_mse"`
	SCVMSESD           number `json:"scv_mse_sd"`
	Coverage           number `json:"coverage"`
	JointCoverage      number `json:"joint_coverage"`
	Width              number `json:"width"`
	Pinball            number `json:"pinball"`
	SamplesPerSecond   number `json:"samples_per_second"`
}

func newScore(series, model string, horizon int, s eval.Score) score {
	return score{
		Series: series, Model: model, Horizon: horizon, N: s.N,
		MSE: number(s.MSE), RMSE: number(s.RMSE), MAE: number(s.MAE), NMSE: number(s.NMSE), MASE: number(s.MASE),
		SkillVsPersistence: number(s.SkillVsNaive), SkillVsVAR1: number(s.SkillVsVAR),
		SCVMSE: number(s.SCVMSE), SCVMSESD: number(s.SCVSD),
		Coverage: number(s.Coverage), JointCoverage: number(s.Joint), Width: number(s.Width), Pinball: number(s.Pinball),
		SamplesPerSecond: number(math.NaN()),
	}
}

// newTable returns an empty table in the style of all commands; the columns
// from the numeric one on are aligned right.
func newTable(numeric int, header ...string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	row := make(table.Row, len(header))
	var columns []table.ColumnConfig
	for i, h := range header {
		row[i] = h
		if i >= numeric {
			columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.AppendHeader(row)
	t.SetColumnConfigs(columns)
	return t
}

// writeJSON prints v on one indented document.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// thousands prints n with separators: 1,234,567.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rate prints samples per second to three digits.
func rate(perSecond float64) string {
	if math.IsNaN(perSecond) || math.IsInf(perSecond, 0) {
		return "-"
	}
	if perSecond < 1000 {
		return fmt.Sprintf("%.3g/s", perSecond)
	}
	digits := math.Pow(10, math.Floor(math.Log10(perSecond))-2)
	return thousands(int64(math.Round(perSecond/digits)*digits)) + "/s"
}

// withJoint adds a column with the coverage of the joint region, if there is one.
func withJoint[T any](t report.Table, results []T, of func(T) score) report.Table {
	if !slices.ContainsFunc(results, func(r T) bool { return !math.IsNaN(float64(of(r).JointCoverage)) }) {
		return t
	}
	at := slices.Index(t.Header, "coverage") + 1
	t.Header = slices.Insert(slices.Clone(t.Header), at, "joint")
	for i := range t.Rows {
		t.Rows[i] = slices.Insert(t.Rows[i], at, of(results[i]).JointCoverage.fixed(3))
	}
	return t
}
