package study

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/eval/detection"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
)

// labelledData returns the folder of the labelled data.
func labelledData(t *testing.T) (dir string) {
	t.Helper()
	dir = os.Getenv("FORECASTER_DATA")
	if _, err := os.Stat(filepath.Join(dir, "nab", "windows.json")); dir == "" || err != nil {
		t.Skipf("no labelled data in %q; set FORECASTER_DATA to the folder that has nab/windows.json", dir)
	}
	return dir
}

// measurement is a table of figures beside those that are wanted.
type measurement struct{ lines [][3]string }

func (m *measurement) add(figure, wanted, format string, values ...any) {
	m.lines = append(m.lines, [3]string{figure, fmt.Sprintf(format, values...), wanted})
}

func (m *measurement) String() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tmeasured\twanted")
	for _, l := range m.lines {
		fmt.Fprintf(w, "%s\t%s\t%s\n", l[0], l[1], l[2])
	}
	w.Flush()
	return text.String()
}

// labelledFile is a file with the scores of its rows, and the labels of those that are compared.
type labelledFile struct {
	samples *Samples
	scores  *Anomalies
	labels  *Labels
}

// readFile reads a CSV file as the command anomalies does, with default settings.
func readFile(t *testing.T, path string) (*config.Config, *Records) {
	t.Helper()
	c := config.Default()
	c.Input.Set(&wire.FileInput{Path: path, Format: "csv"})
	src, err := wire.OpenFile(c)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	records, err := ReadRecords(t.Context(), path, src, src.Decoder())
	if err != nil {
		t.Fatal(err)
	}
	return c, records
}

// scoreFile scores the rows of a file, behind a history unless that is "". Labels are windows in
// JSON, or rows.
func scoreFile(t *testing.T, path, history, labels string) labelledFile {
	t.Helper()
	c, records := readFile(t, path)
	samples, err := records.Samples(t.Context(), c, 0)
	before := 0
	if err == nil && history != "" {
		_, h := readFile(t, history)
		if records, _, before, err = records.After(t.Context(), h, c); err == nil {
			samples, err = records.Samples(t.Context(), c, 0)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	l, ok, err := ReadWindows(c, labels, samples, before, 0)
	if err == nil && !ok {
		lc, marks := readFile(t, labels)
		var rows *Samples
		if rows, err = marks.Samples(t.Context(), lc, 0); err == nil {
			l, err = NewLabels(rows, samples, before, 0)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return labelledFile{samples, scoreRecords(t, c, records, samples), l}
}

func scoreRecords(t *testing.T, c *config.Config, records *Records, samples *Samples) *Anomalies {
	t.Helper()
	scores := &Anomalies{Keep: true}
	if err := AnomaliesOf(t.Context(), c, records, samples, scores, new(atomic.Int64)); err != nil {
		t.Fatal(err)
	}
	return scores
}

func (f labelledFile) detection() Detection {
	return DetectRows("", f.scores, AlarmLimit, f.samples, f.labels)[0]
}

// TestProtocolAnomalies prints the figures of docs/model.md in one table, some of them from labelled
// files. It takes a minute: make anomalies.
func TestProtocolAnomalies(t *testing.T) {
	if os.Getenv("FORECASTER_MEASURE") == "" {
		t.Skip("a measurement of a minute; set FORECASTER_MEASURE=1")
	}
	var m measurement
	t.Run("files", func(t *testing.T) {
		dir := labelledData(t)
		measureNAB(t, &m, filepath.Join(dir, "nab"))
		path := func(name string) string { return filepath.Join(dir, name+".csv") }
		skab := scoreFile(t, path("skab_valve1"), "", path("skab_valve1_labels")).detection()
		m.add("SKAB valve1: area under precision and recall", ">= .80", "%.3f", skab.AUPRC)
		m.add("SKAB valve1: F1 of the rows of anomalies", ">= .6", "%.3f", skab.F1)
		asd := scoreFile(t, path("asd_omi_1_test"), path("asd_omi_1_train"), path("asd_omi_1_test_labels"))
		d := asd.detection()
		m.add("ASD omi-1 behind its history: area", ">= .62", "%.3f", d.AUPRC)
		m.add("ASD omi-1 behind its history: F1 of the rows of anomalies", "", "%.3f", d.F1)
		const history = 8640
		still := detectAbove("", stepScores(asd.samples.Series[0].Rows, history), 0, asd.samples, asd.labels).AUPRC
		m.add("ASD omi-1: area of the steps of 50 rows alone, in units of the history", "", "%.3f", still)
	})
	t.Run("servers", func(t *testing.T) { measureServers(t, &m, 4) })
	t.Run("jumps", func(t *testing.T) { measureJumps(t, &m) })
	t.Run("state", func(t *testing.T) { measureState(t, &m) })
	t.Run("false alarms", func(t *testing.T) { measureFalseAlarms(t, &m, 100_000, 5, 1e-2, 1e-3, 1e-4) })
	t.Logf("anomalies found by the default model:\n%s", &m)
}

// stepScores returns how far the mean logarithm of the last 50 steps is from that of the first history
// rows, in standard deviations there; the mean over the variables.
func stepScores(rows [][]float64, history int) []float64 {
	const span = 50
	scores := make([]float64, len(rows))
	for j := range rows[0] {
		var values, logs []float64
		for _, y := range rows[:history] {
			values = append(values, y[j])
		}
		floor := .01 * scoring.Summarize(values...).SD
		if floor == 0 {
			continue
		}
		means := make([]float64, len(rows))
		for i := range rows {
			step := floor
			if i > 0 {
				step += math.Abs(rows[i][j] - rows[i-1][j])
			}
			logs = append(logs, math.Log(step))
			means[i] = scoring.Summarize(logs[max(0, i+1-span):]...).Mean
		}
		usual := scoring.Summarize(means[span:history]...)
		for i, m := range means {
			scores[i] += math.Abs(m-usual.Mean) / usual.SD / float64(len(rows[0]))
		}
	}
	return scores
}

// measureNAB scores the files of the Numenta Anomaly Benchmark in dir with one threshold for all.
func measureNAB(t *testing.T, m *measurement, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	var all []detection.Labelled
	rows, alarms, falseAlarms, clean := 0, 0, 0, 0
	for _, path := range files {
		f := scoreFile(t, path, "", filepath.Join(dir, "windows.json"))
		scores, _ := f.scores.flat()
		labelled := f.labels.labelled(f.samples, scores)
		all = append(all, labelled...)
		at, best := detection.ScoreNAB(labelled, AlarmLimit)
		n, late := countAbove(scores), countAbove(scores[len(scores)*15/100:])
		rows, alarms = rows+len(scores), alarms+n
		if strings.HasPrefix(filepath.Base(path), "artificialNoAnomaly") {
			clean++
			falseAlarms += late
		}
		t.Logf("%-62s %6.1f best %6.1f at 1, %2d alarms", filepath.Base(path), best.Score, at.Score, n)
	}
	at, best := detection.ScoreNAB(all, AlarmLimit)
	share := 100 * float64(alarms) / float64(rows)
	m.add(fmt.Sprintf("NAB, %d files: best threshold", len(files)), ">= 55", "%.1f", best.Score)
	m.add("NAB: threshold 1", ">= 45", "%.1f", at.Score)
	m.add("NAB: rows above 1", "<= .5 %", "%.2f %%", share)
	m.add(fmt.Sprintf("NAB: alarms after 15 %% of %d files without an anomaly", clean), "0", "%d", falseAlarms)
	if !(best.Score >= 55) || !(at.Score >= 45) || !(share <= .5) || falseAlarms > 0 {
		t.Error("NAB has less than is wanted")
	}
}

func countAbove(scores []float64) (n int) {
	for _, s := range scores {
		if s > AlarmLimit {
			n++
		}
	}
	return n
}

const spacing = 5 * time.Minute // of simulated rows

// recordsOf returns the rows of a simulated series as records.
func recordsOf(data *scoring.Dataset) *Records {
	records := RecordsOf(data)
	for i := range records.list {
		records.list[i].Time = int64(i+1) * int64(spacing)
	}
	return records
}

// forecastRows are samples with the forecasts that were made for them, and their scores.
type forecastRows struct {
	times   []int64
	y, yhat [][]float64 // yhat[i] is nil where there is no forecast
	scores  []float64
}

// forecastsOf learns and forecasts records by the default model.
func forecastsOf(t *testing.T, records *Records) forecastRows {
	t.Helper()
	c := config.Default()
	c.Model.Levels, c.Evaluate.Interval = nil, 0
	c.Pipeline.Interval = config.Interval(spacing) // every forecast is issued, also while the spacing is not known otherwise
	e, err := wire.NewEngine(c, stream.AllSeries)
	if err != nil {
		t.Fatal(err)
	}
	var f forecastRows
	var next []float64
	err = records.teach(context.Background(), &learner{engine: e, see: func(b *stream.Batch, _ int) {
		forecasts := b.Forecasts
		for i := range b.Observations {
			o := &b.Observations[i]
			f.times, f.y, f.yhat, f.scores = append(f.times, o.Time), append(f.y, slices.Clone(o.Y)), append(f.yhat, next), append(f.scores, o.AnomalyScore)
			next = nil
			if len(forecasts) > 0 && forecasts[0].Origin == o.Time {
				next, forecasts = slices.Clone(forecasts[0].Yhat), forecasts[1:]
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// alarms counts the scores above 1 of a scorer with the rate of false alarms.
func (f *forecastRows) alarms(t *testing.T, rate float64) (n int) {
	s := anomaly.NewScorer(anomaly.Config{Dim: len(f.y[0]), FalseAlarms: rate, NormalAfter: 300, MinDuration: 1})
	for i, y := range f.y {
		score, ok := s.Observe(f.times[i], y, f.yhat[i])
		if ok && score > AlarmLimit {
			n++
		}
		if want := f.scores[i]; rate == 1e-3 && ok == math.IsNaN(want) || ok && rate == 1e-3 && score != want {
			t.Fatalf("row %d: score %v, that of the engine is %v", i, score, want)
		}
	}
	return n
}

// Series that do not change have as many false alarms under the default model as are asked for,
// within a factor of two: 20 alarms vary by 4.5.
func TestFalseAlarmsOfTheDefaultModel(t *testing.T) {
	measureFalseAlarms(t, new(measurement), 20_000, 1, 1e-2, 1e-3)
}

func measureFalseAlarms(t *testing.T, m *measurement, rows, seeds int, rates ...float64) {
	for _, name := range unchangingNames {
		parts := make([][]float64, len(rates))
		for seed := range seeds {
			f := forecastsOf(t, recordsOf(simulate.Collect(name, newUnchanging(name, uint64(seed+1)), rows)))
			for k, rate := range rates {
				parts[k] = append(parts[k], float64(f.alarms(t, rate))/(rate*float64(rows)))
			}
		}
		for k, p := range parts {
			mean := scoring.Summarize(p...).Mean
			m.add(fmt.Sprintf("false alarms in parts of %g: %s", rates[k], name), ".5 … 2", "%.2f (%.2f … %.2f)", mean, slices.Min(p), slices.Max(p))
			if !(mean >= .5 && mean <= 2) {
				t.Errorf("%s: %.2f times the rate %g", name, mean, rates[k])
			}
		}
	}
}

// The larger the jump, the larger its score under the default model.
func TestScoresGrowWithTheJumpUnderTheDefaultModel(t *testing.T) { measureJumps(t, new(measurement)) }

func measureJumps(t *testing.T, m *measurement) {
	last, text := 0., ""
	for _, size := range []float64{3, 10, 30, 100, 1000} {
		data := simulate.Collect("jump", newUnchanging("white noise", 1), 3001)
		data.Series[0].Rows[3000][0] = size
		f := forecastsOf(t, recordsOf(data))
		score := f.scores[3000]
		if !(score > last) {
			t.Errorf("a jump of %v has the score %v, a smaller one %v", size, score, last)
		}
		last, text = score, fmt.Sprintf("%s %.2f", text, score)
	}
	m.add("scores of jumps of 3, 10, 30, 100, 1,000 deviations", "increasing", "%s", text[1:])
}

// On a server whose normal operation was learnt before, anomalies are found, and the variable that
// moved is named first.
func TestAnomaliesOfAServer(t *testing.T) { measureServers(t, new(measurement), 1) }

func measureServers(t *testing.T, m *measurement, servers int) {
	var areas []float64
	found, all, first, single := 0, 0, 0, 0
	for seed := range servers {
		s := newServer(uint64(seed + 1))
		records := recordsOf(s.data)
		c := config.Default()
		samples, err := records.Samples(t.Context(), c, 0)
		if err != nil {
			t.Fatal(err)
		}
		scores := scoreRecords(t, c, records, samples)
		areas = append(areas, float64(labelledFile{samples, scores, s.labels}.detection().AUPRC))
		r := &AnomalyReport{}
		r.List(scores)
		for _, a := range s.anomalies {
			all++
			// The highest anomaly that begins in the window; they are in order.
			k := slices.IndexFunc(r.Stretches, func(x stretch) bool { return x.first >= a.from && x.first < a.to })
			if k >= 0 {
				found++
			}
			if len(a.variables) == 1 {
				single++
				if k >= 0 && r.Stretches[k].Variables[0].Name == s.data.Variables[a.variables[0]] {
					first++
				}
			}
		}
	}
	m.add(fmt.Sprintf("synthetic servers, %d: area", servers), ">= .85", "%.2f … %.2f", slices.Min(areas), slices.Max(areas))
	m.add("synthetic servers: windows with an alarm", ">= 80 %", "%d of %d", found, all)
	m.add("synthetic servers: right variable first", ">= 95 %", "%d of %d of one variable", first, single)
	if !(slices.Min(areas) >= .85) || !(float64(found) >= .8*float64(all)) || !(float64(first) >= .95*float64(single)) {
		t.Errorf("areas %.3f, %d of %d windows, right variable first in %d of %d", areas, found, all, first, single)
	}
}
