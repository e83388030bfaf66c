package study

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/eval/detection"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
)

// Possible names of the columns in a file of labelled windows: first and last time of a window.
var (
	startColumns = []string{"start", "from", "begin"}
	endColumns   = []string{"end", "to"}
)

// normalLabels are the labels of windows that are no anomalies.
var normalLabels = []string{"0", "0.0", "false"}

// ReadWindows reads labels from a file of windows: JSON with a list of pairs of times, JSON with such a list per data
// file, or CSV with the columns start and end. ok is false for a file of labelled rows. The rows in [from, to) are known;
// to = 0: to the end.
func ReadWindows(c *config.Config, path string, data *Samples, from, to int) (l *Labels, ok bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil // the reader of labelled rows reports the missing file
	}
	if err != nil {
		return nil, false, err
	}
	var pairs [][2]string
	if strings.EqualFold(filepath.Ext(path), ".json") {
		pairs, err = jsonWindows(text, data.Name)
	} else if pairs, ok = csvWindows(string(text)); !ok {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	if len(data.Series) != 1 {
		return nil, false, fmt.Errorf("%s: windows label one series, and %s has %d; label their rows", path, data.Name, len(data.Series))
	}
	l = &Labels{start: []int{0}}
	s := &data.Series[0]
	times := wire.TimeReader(c)
	var windows [][2]int64
	for _, pair := range pairs {
		var w [2]int64
		for i, text := range pair {
			if w[i], err = times.Parse([]byte(text), ""); err != nil {
				return nil, false, fmt.Errorf("%s: window %d: time %q: %w", path, len(windows)+1, text, err)
			}
		}
		if w[0] > w[1] {
			return nil, false, fmt.Errorf("%s: window %d begins at %s and ends at %s, which is earlier", path, len(windows)+1, pair[0], pair[1])
		}
		windows = append(windows, w)
	}
	for i, t := range s.Times {
		inside := slices.ContainsFunc(windows, func(w [2]int64) bool { return w[0] <= t && t <= w[1] })
		l.known = append(l.known, i >= from && (to == 0 || i < to))
		l.anomalous = append(l.anomalous, inside)
	}
	if len(windows) > 0 && len(s.Times) > 0 && !slices.Contains(l.anomalous, true) {
		return nil, false, fmt.Errorf("%s: no row of %s lies within the windows: %s; correct the times of the windows", path, data.Name, data.span())
	}
	return l, true, nil
}

// span returns a text with the first and the last time of the rows, and the median of their spacings.
func (s *Samples) span() string {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	var steps []int64
	for i := range s.Series {
		for k, t := range s.Series[i].Times {
			first, last = min(first, t), max(last, t)
			if k > 0 {
				steps = append(steps, t-s.Series[i].Times[k-1])
			}
		}
	}
	text := fmt.Sprintf("the file begins at %s and ends at %s", rowTime(first), rowTime(last))
	if len(steps) > 0 {
		slices.Sort(steps)
		text += ", with a row every " + config.SpacingText(time.Duration(steps[len(steps)/2]))
	}
	return text
}

// jsonWindows returns the windows in a JSON text for the data file name.
func jsonWindows(text []byte, name string) (pairs [][2]string, err error) {
	if json.Unmarshal(text, &pairs) == nil {
		return pairs, nil
	}
	var files map[string][][2]string
	if err := json.Unmarshal(text, &files); err != nil {
		return nil, errors.New(`must be a list of [start, end], or {"FILE": [[start, end], ...], ...}`)
	}
	base := filepath.Base(name)
	for _, key := range []string{name, base, strings.Replace(base, "__", "/", 1)} {
		if pairs, ok := files[key]; ok {
			return pairs, nil
		}
	}
	var same []string
	for key := range files {
		if filepath.Base(key) == base {
			same = append(same, key)
		}
	}
	switch len(same) {
	case 0:
		return nil, fmt.Errorf("has no windows of %s", base)
	case 1:
		return files[same[0]], nil
	}
	slices.Sort(same)
	return nil, fmt.Errorf("has windows of several files %s: %s; leave one of them", base, strings.Join(same, ", "))
}

// csvWindows returns the windows of a CSV text with the columns start and end. A column of labels leaves out those of 0.
func csvWindows(text string) (pairs [][2]string, ok bool) {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	lines, err := r.ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, false
	}
	column := func(names []string) int {
		return slices.IndexFunc(lines[0], func(h string) bool { return slices.Contains(names, strings.ToLower(strings.TrimSpace(h))) })
	}
	start, end, label := column(startColumns), column(endColumns), column(labelColumns)
	if start < 0 || end < 0 {
		return nil, false
	}
	for _, cells := range lines[1:] {
		cells = append(cells, make([]string, len(lines[0]))...) // a short line has empty times, which are refused
		if label >= 0 && slices.Contains(normalLabels, strings.ToLower(strings.TrimSpace(cells[label]))) {
			continue
		}
		pairs = append(pairs, [2]string{strings.TrimSpace(cells[start]), strings.TrimSpace(cells[end])})
	}
	return pairs, true
}

// labelled returns the scores of the known rows of each series, and the windows: runs of anomalous rows.
func (l *Labels) labelled(data *Samples, scores []float64) []detection.Labelled {
	var all []detection.Labelled
	at := 0
	for _, s := range data.Series {
		var one detection.Labelled
		inside := false
		for range s.Rows {
			i := at
			at++
			if !l.known[i] {
				continue
			}
			n := len(one.Scores)
			one.Scores = append(one.Scores, scores[i])
			if l.anomalous[i] {
				if !inside {
					one.Windows = append(one.Windows, [2]int{n, n})
				}
				one.Windows[len(one.Windows)-1][1] = n
			}
			inside = l.anomalous[i]
		}
		all = append(all, one)
	}
	return all
}

// above reports which scores exceed the threshold.
func above(scores []float64, threshold float64) []bool {
	flagged := make([]bool, len(scores))
	for i, s := range scores {
		flagged[i] = !math.IsNaN(s) && s > threshold
	}
	return flagged
}
