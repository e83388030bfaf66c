package study

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// A file of labels has them in a column with one of their names, or in its only column. Rows that are not asked for,
// that it does not mention, or whose label is missing, are not compared.
func TestLabelsOfAFile(t *testing.T) {
	series := func(name string, variables []string, times []int64, columns ...[]float64) Series {
		s := Series{Name: name, Variables: variables, Times: times}
		for i := range times {
			var row []float64
			for _, c := range columns {
				row = append(row, c[i])
			}
			s.Rows = append(s.Rows, row)
		}
		return s
	}
	of := func(all ...Series) *Samples { return &Samples{Name: "f", Series: all} }
	nan := math.NaN()
	zeros := make([]float64, 5)
	data := of(series("a", []string{"x"}, []int64{1, 2, 3, 4, 5}, zeros))
	marks, times := []float64{0, 1, nan, 1}, []int64{2, 3, 4, 5} // nothing at 1
	known := []bool{false, true, true, false, true}
	for _, c := range []struct {
		what          string
		marks, data   *Samples
		from, to      int
		known, labels []bool
		err           string
	}{
		{what: "the only column", marks: of(series("other", []string{"y"}, times, marks)), data: data,
			known: known, labels: []bool{false, false, true, false, true}},
		{what: "a name among others", marks: of(series("a", []string{"y", "Is_Anomaly", "z"}, times, zeros, marks, zeros)), data: data,
			known: known, labels: []bool{false, false, true, false, true}},
		{what: "a part", marks: of(series("a", []string{"label"}, times, marks)), data: data, from: 2, to: 4,
			known: []bool{false, false, true, false, false}, labels: []bool{false, false, true, false, true}},
		{what: "two series", data: of(data.Series[0], series("b", []string{"x"}, []int64{2, 3}, zeros)),
			marks: of(series("b", []string{"y"}, []int64{2, 3}, []float64{1, 0}), series("a", []string{"y"}, times, marks)),
			known: append(slices.Clone(known), true, true), labels: []bool{false, false, true, false, true, true, false}},
		{what: "no such column", marks: of(series("a", []string{"y", "z"}, times, zeros, zeros)), data: data, err: "no column is named anomaly"},
		{what: "other times", marks: of(series("a", []string{"y"}, []int64{7}, zeros)), data: data,
			err: "f has none of the times of the rows of f: the file begins at 1970-01-01T00:00:00.000000001Z and ends at 1970-01-01T00:00:00.000000005Z, with a row every 1ns; correct the times of the labels"},
		{what: "anomalies only", marks: of(series("a", []string{"y"}, []int64{2, 4, 99}, []float64{1, 1, 0})), data: data,
			err: "f lists only anomalies of a, and rows without a label are not compared, so that no alarm could be false; give the other rows the label 0, or list windows with the columns start and end"},
		{what: "anomalies only of one of two series", data: of(data.Series[0], series("b", []string{"x"}, []int64{2, 3}, zeros)), err: "f lists only anomalies of b",
			marks: of(series("b", []string{"y"}, []int64{2, 3}, []float64{1, nan}), series("a", []string{"y"}, times, marks))},
		{what: "other labels", marks: of(series("a", []string{"score"}, times, []float64{0, 1, 1, -1})), data: data,
			err: "f: 1970-01-01T00:00:00.000000005Z: column score has -1, and labels are 1 for an anomaly and 0 for any other row; convert them, or name the column of the labels anomaly"},
		{what: "no label", marks: of(series("a", []string{"y"}, times, []float64{nan, nan, nan, nan})), data: data,
			err: "f has no label for the rows of f that are compared: they are missing there"},
		{what: "every row anomalous", marks: of(series("a", []string{"y"}, []int64{2, 3}, []float64{1, 1})), data: of(series("a", []string{"x"}, []int64{2, 3}, zeros)),
			known: []bool{true, true}, labels: []bool{true, true}},
		{what: "no such series", data: of(data.Series[0], data.Series[0]), marks: of(series("b", []string{"y"}, times, zeros)), err: `f has no series "a"`},
	} {
		l, err := NewLabels(c.marks, c.data, c.from, c.to)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.what, err, c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(l.known, c.known) || !slices.Equal(l.anomalous, c.labels) {
			t.Errorf("%s: %+v, %v, want %v %v", c.what, l, err, c.known, c.labels)
			continue
		}
		i := 0
		for k := range c.data.Series {
			for row := range c.data.Series[k].Rows {
				if got := l.Labelled(k, row); got != (c.known[i] && c.labels[i]) {
					t.Errorf("%s: series %d, row %d: %v", c.what, k, row, got)
				}
				i++
			}
		}
	}
	refused := of(series("a", []string{"y"}, times, zeros))
	refused.Refusals.Add(&stream.Message{}, refuse.New(refuse.Malformed, "no number"))
	if _, err := NewLabels(refused, data, 0, 0); err == nil || !strings.HasPrefix(err.Error(), "f: ") {
		t.Errorf("refused labels: %v", err)
	}
}

// TestWindowsBesideTheRows: windows without a row are an error, as labels of other times are; a file without windows is
// not.
func TestWindowsBesideTheRows(t *testing.T) {
	data := &Samples{Name: "f.csv", Series: []Series{{Name: "f", Variables: []string{"x"}, Times: []int64{0, 1e9}, Rows: [][]float64{{1}, {2}}}}}
	path := filepath.Join(t.TempDir(), "windows.json")
	for text, want := range map[string]string{
		"[]": "", `[["1970-01-01", "1970-01-02"]]`: "",
		`[["1970-01-01", "1970-01-02"], ["1970-01-01 00:00:01", "1970-01-01"]]`: "window 2 begins at 1970-01-01 00:00:01 and ends at 1970-01-01, which is earlier",
		`[["1970-01-01", ""]]`:           `window 1: time ""`,
		`[["2027-01-01", "2027-01-02"]]`: "no row of f.csv lies within the windows: the file begins at 1970-01-01T00:00:00Z and ends at 1970-01-01T00:00:01Z, with a row every 1s; correct the times of the windows",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadWindows(config.Default(), path, data, 0, 0); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Windows have the zone of the rows: the rows are at 23:00 and 23:30 in Rome.
func TestWindowsInTheZoneOfTheRows(t *testing.T) {
	c := config.Default()
	c.Input.TimeZone = "Europe/Rome"
	data := &Samples{Name: "f.csv", Series: []Series{{Name: "f", Variables: []string{"x"}, Times: []int64{22 * 3600e9, 22.5 * 3600e9}, Rows: [][]float64{{1}, {2}}}}}
	path := filepath.Join(t.TempDir(), "windows.csv")
	if err := os.WriteFile(path, []byte("start,end\n1970-01-01 23:15,1970-01-01 23:45\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, _, err := ReadWindows(c, path, data, 0, 0); err != nil || !slices.Equal(l.anomalous, []bool{false, true}) {
		t.Errorf("%+v, %v", l, err)
	}
	if err := os.WriteFile(path, []byte("start,end\n1970-01-01 23:15,1970-01-01 23:45\n1970-01-01\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadWindows(c, path, data, 0, 0); err == nil || !strings.Contains(err.Error(), `window 2: time ""`) {
		t.Errorf("a window without an end: %v", err)
	}
}
