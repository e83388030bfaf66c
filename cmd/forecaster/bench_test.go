//go:build unix && !race

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// BenchmarkReplay replays a CSV file of 7 variables to nowhere, as the command
// does: reading and decoding, the engine, and writing, on goroutines of their own. It
// prints samples per second, how many processors that took, and the bytes allocated. The
// short file shows what the start costs.
//
//	go test -run '^$' -bench Replay -benchtime 3x ./cmd/forecaster
func BenchmarkReplay(b *testing.B) {
	path := filepath.Join(b.TempDir(), "series.csv")
	for _, rows := range []int{20_000, 200_000} {
		writeBenchCSV(b, path, 7, rows)
		for _, model := range benchModels {
			b.Run(fmt.Sprintf("rows=%d/model=%s", rows, model), func(b *testing.B) {
				c := benchConfig(model)
				c.Input.Set(&wire.FileInput{Path: path})
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start, cpu := time.Now(), processorTime()
				for b.Loop() {
					replayToNowhere(b, c)
				}
				elapsed, used := time.Since(start).Seconds(), processorTime()-cpu
				runtime.ReadMemStats(&after)
				samples := float64(b.N * rows)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(samples/elapsed, "samples/s")
				b.ReportMetric(float64(used)/samples, "cpu-ns/sample")
				b.ReportMetric(used.Seconds()/elapsed, "processors")
				b.ReportMetric(float64(after.Mallocs-before.Mallocs)/samples, "mallocs/sample")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/1e6, "MB/run")
				b.ReportMetric(float64(after.NumGC-before.NumGC)/float64(b.N), "collections/run")
			})
		}
	}
}

// benchModels are what pipelines are timed with: the tiers of the default model, and
// persistence, which costs nothing.
var benchModels = []string{"full", "light", "tiny", "persistence"}

func benchConfig(model string) *config.Config {
	c := config.Default()
	if model == "persistence" {
		c.Model.Type = model
	} else {
		c.Model.Tier = model
	}
	return c
}

func replayToNowhere(b *testing.B, c *config.Config) {
	src, err := wire.OpenFile(c)
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	e, err := wire.NewEngine(c, stream.AllSeries)
	if err != nil {
		b.Fatal(err)
	}
	runner, err := run.NewRunner(run.Config{Source: src, Decoder: src.Decoder(), Engine: e, Sink: stream.Discard{}})
	if err != nil {
		b.Fatal(err)
	}
	if err := runner.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// writeBenchCSV writes a CSV file of d variables.
func writeBenchCSV(b *testing.B, path string, d, rows int) {
	b.Helper()
	data := wire.Simulate(&wire.SimulatedInput{Setting: "exponential", Noise: "white", Dim: d, Rows: rows, Seed: 1, Interval: time.Minute})
	text := []byte("time")
	for j := range d {
		text = fmt.Appendf(text, ",v%d", j+1)
	}
	for i, y := range data.Series[0].Rows {
		text = append(text, '\n')
		text = timestamp.Append(text, data.Series[0].Times[i], timestamp.Auto)
		for _, v := range y {
			text = strconv.AppendFloat(append(text, ','), math.Round(v*1e6)/1e6, 'g', -1, 64)
		}
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o600); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkStage times each stage of the pipeline alone, for a sample of d
// variables: decoding each format, the engine with persistence (and with what
// stands beside a model: the reference and its scores, metrics and intervals),
// encoding the points of a sample, and a checkpoint.
//
//	go test -run '^$' -bench Stage ./cmd/forecaster
func BenchmarkStage(b *testing.B) {
	for _, d := range []int{5, 7, 31} {
		s := newStageSamples(b, d)
		for _, f := range s.formats {
			b.Run(fmt.Sprintf("decode=%s/d=%d", f.name, d), func(b *testing.B) { f.decode(b) })
		}
		for _, horizon := range []int{1, 12} {
			c := config.Default()
			c.Model.Type, c.Model.Horizon = "persistence", horizon
			b.Run(fmt.Sprintf("apply=persistence/H=%d/d=%d", horizon, d), func(b *testing.B) { s.apply(b, c) })
			b.Run(fmt.Sprintf("encode=influx/H=%d/d=%d", horizon, d), func(b *testing.B) { s.encode(b, c) })
		}
		c := config.Default()
		c.Model.Type, c.Evaluate.Interval = "persistence", 1
		b.Run(fmt.Sprintf("apply=persistence,metrics each/H=1/d=%d", d), func(b *testing.B) { s.apply(b, c) })
		b.Run(fmt.Sprintf("score/H=1/d=%d", d), func(b *testing.B) { s.score(b) })
		for _, model := range []string{"persistence", "auto"} {
			c := config.Default()
			c.Model.Type = model
			b.Run(fmt.Sprintf("checkpoint=%s/d=%d", model, d), func(b *testing.B) { s.checkpoint(b, c) })
		}
	}
}

// TestHotPathDoesNotAllocate: decoding a sample, the engine with everything beside the model, and encoding the
// points do not allocate, for each number of variables.
func TestHotPathDoesNotAllocate(t *testing.T) {
	check := func(what string, d int, f func()) {
		t.Helper()
		if n := testing.AllocsPerRun(500, f); n != 0 {
			t.Errorf("%s of %d variables: %v allocations per sample", what, d, n)
		}
	}
	for _, d := range []int{5, 7, 31} {
		s := newStageSamples(t, d)
		for _, f := range s.formats {
			var r stream.Record
			i := 0
			decode := func() {
				if err := f.decoder.Decode(&r, &f.messages[i%len(f.messages)]); err != nil {
					t.Fatal(err)
				}
				i++
			}
			decode()
			check("decoding "+f.name, d, decode)
		}
		for _, model := range []string{"persistence", "orffvar", "auto"} {
			if model == "auto" && d > 7 {
				continue // the same code, at great length
			}
			c := config.Default()
			c.Model.Type, c.Model.Horizon, c.Evaluate.Interval = model, 2, 1
			_, step := s.engine(t, c)
			var batch engine.Results
			apply := func() {
				batch.Reset()
				step(&batch)
			}
			for range 10 {
				apply()
			}
			check("the engine with "+model, d, apply)
			encoder := lineproto.Encoder{Levels: c.Model.Levels}
			buf := encoder.AppendBatch(nil, &batch.Batch)
			check("encoding", d, func() { buf = encoder.AppendBatch(buf[:0], &batch.Batch) })
		}
	}
}

// stageSamples are the same samples in every form that a stage takes.
type stageSamples struct {
	names   []string
	times   []int64
	values  [][]float64
	formats []stageFormat
}

type stageFormat struct {
	name     string
	decoder  stream.Decoder
	messages []stream.Message
}

// newStageSamples makes samples with eight digits, as sensors have them at most.
func newStageSamples(b testing.TB, d int) *stageSamples {
	b.Helper()
	const rows = 1024
	data := wire.Simulate(&wire.SimulatedInput{Setting: "exponential", Noise: "white", Dim: d, Rows: rows, Seed: 1, Interval: time.Minute})
	s := &stageSamples{times: data.Series[0].Times, values: data.Series[0].Rows}
	for j := range d {
		s.names = append(s.names, fmt.Sprint("v", j+1))
	}
	object, err := format.NewJSON(format.JSONConfig{})
	array, err2 := format.NewJSON(format.JSONConfig{})
	csv, err3 := format.NewCSV(format.CSVConfig{Header: slices.Concat([]string{"time"}, s.names)})
	influx, err4 := format.NewInflux(format.InfluxConfig{})
	if err := errors.Join(err, err2, err3, err4); err != nil {
		b.Fatal(err)
	}
	s.formats = []stageFormat{
		{name: "json object", decoder: object}, {name: "json array", decoder: array},
		{name: "csv", decoder: csv}, {name: "influx", decoder: influx},
	}
	for i, y := range s.values {
		at := time.Unix(0, s.times[i]).UTC().Format(time.RFC3339)
		lines := [4][]byte{
			fmt.Appendf(nil, `{"time":"%s","values":{`, at), fmt.Appendf(nil, `{"time":"%s","values":[`, at),
			[]byte(at), []byte("cpu,host=a "),
		}
		for j, v := range y {
			v = math.Round(v*1e6) / 1e6
			y[j] = v
			if j > 0 {
				lines[0], lines[1], lines[3] = append(lines[0], ','), append(lines[1], ','), append(lines[3], ',')
			}
			lines[0] = fmt.Appendf(lines[0], "%q:%v", s.names[j], v)
			lines[1] = fmt.Append(lines[1], v)
			lines[2] = fmt.Appendf(lines[2], ",%v", v)
			lines[3] = fmt.Appendf(lines[3], "%s=%v", s.names[j], v)
		}
		lines[0], lines[1], lines[3] = append(lines[0], "}}"...), append(lines[1], "]}"...), fmt.Appendf(lines[3], " %d", s.times[i])
		for k := range s.formats {
			s.formats[k].messages = append(s.formats[k].messages, stream.Message{Topic: "t", Offset: int64(i), Key: []byte("s"), Value: lines[k]})
		}
	}
	return s
}

func (f stageFormat) decode(b *testing.B) {
	var r stream.Record
	b.ReportAllocs()
	start := processorTime()
	i := 0
	for b.Loop() {
		if err := f.decoder.Decode(&r, &f.messages[i%len(f.messages)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
	reportSample(b, start, 1)
}

// engine returns an engine past its warm-up and a function that applies the next
// sample.
func (s *stageSamples) engine(b testing.TB, c *config.Config) (*engine.Engine, func(*engine.Results)) {
	b.Helper()
	e, err := wire.NewEngine(c, stream.AllSeries)
	if err != nil {
		b.Fatal(err)
	}
	var m stream.Message
	r := stream.Record{Message: &m, Series: "s", Names: s.names}
	n := 0
	step := func(batch *engine.Results) {
		r.Time = s.times[0] + int64(n)*int64(time.Minute)
		r.Values = s.values[n%len(s.values)]
		m.Offset = int64(n)
		if err := errors.Join(e.Learn(batch, &r), e.Score(batch)); err != nil {
			b.Fatal(err)
		}
		n++
	}
	var batch engine.Results
	for range len(s.values) {
		batch.Reset()
		step(&batch)
	}
	return e, step
}

// perBatch is the number of samples in a batch.
const perBatch = 256

func (s *stageSamples) apply(b *testing.B, c *config.Config) {
	_, step := s.engine(b, c)
	var batch engine.Results
	b.ReportAllocs()
	start := processorTime()
	for n := 0; b.Loop(); n++ {
		if n%perBatch == 0 {
			batch.Reset()
		}
		step(&batch)
	}
	reportSample(b, start, 1)
}

func (s *stageSamples) encode(b *testing.B, c *config.Config) {
	_, step := s.engine(b, c)
	var batch engine.Results
	for range perBatch {
		step(&batch)
	}
	encoder := lineproto.Encoder{Levels: c.Model.Levels}
	var buf []byte
	b.ReportAllocs()
	start := processorTime()
	for b.Loop() {
		buf = encoder.AppendBatch(buf[:0], &batch.Batch)
	}
	reportSample(b, start, perBatch)
	b.ReportMetric(float64(bytes.Count(buf, []byte("\n")))/perBatch, "lines/sample")
}

func (s *stageSamples) score(b *testing.B) {
	scorer := scoring.NewScorer(scoring.ScorerConfig{Dim: len(s.names), Horizons: []int{1}, Window: 1000, Level: .9})
	lower, upper := make([]float64, len(s.names)), make([]float64, len(s.names))
	for j := range upper {
		lower[j], upper[j] = -1, 1
	}
	b.ReportAllocs()
	start := processorTime()
	for n := 0; b.Loop(); n++ {
		y := s.values[n%len(s.values)]
		scorer.Observe(y)
		scorer.Push(y, lower, upper, y)
	}
	reportSample(b, start, 1)
}

func (s *stageSamples) checkpoint(b *testing.B, c *config.Config) {
	e, _ := s.engine(b, c)
	var state []byte
	b.ReportAllocs()
	start := processorTime()
	for b.Loop() {
		state = streamtest.Snapshot(e)
	}
	reportSample(b, start, 1)
	b.ReportMetric(float64(len(state)), "bytes")
}

// reportSample reports the processor time per sample since start, for samples a
// round.
func reportSample(b *testing.B, start time.Duration, samples int) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(processorTime()-start)/float64(b.N)/float64(samples), "cpu-ns/sample")
}

// processorTime is what the process has used so far: on a machine that does
// other things beside, times by the clock say little.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
