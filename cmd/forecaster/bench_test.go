//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/lineproto"
)

// BenchmarkReplay is a replay of 5 variables to nowhere, on one core, and
// where the time goes: to decoding (CSV, JSON), to the engine with the model
// (orffvar with 100 frequencies, the default), and to encoding what comes out
// as line protocol.
//
//	go test -run '^$' -bench Replay ./cmd/forecaster
func BenchmarkReplay(b *testing.B) {
	for _, input := range []string{"csv", "json"} {
		for _, model := range []string{"orffvar", "auto"} {
			b.Run(fmt.Sprintf("input=%s/model=%s/d=5/D=100", input, model), func(b *testing.B) {
				benchmarkReplay(b, input, model)
			})
		}
	}
}

func benchmarkReplay(b *testing.B, input, model string) {
	const rows, chunk = 4096, 256
	c := config.Default()
	c.Model.Type, c.Model.Frequencies, c.Model.Order = model, 100, 1
	data := simulate(&config.Simulated{Setting: "exponential", Noise: "white", Dim: 5, Rows: rows, Seed: 1, Interval: time.Second})
	messages, decoder := benchMessages(b, data, input)
	encoder := lineproto.Encoder{Levels: c.Model.Levels}
	var (
		records               = make([]stream.Record, chunk)
		batch                 stream.Batch
		line                  []byte
		decode, apply, encode time.Duration
		samples               int
	)
	b.ReportAllocs()
	for b.Loop() {
		engine, err := newEngine(c)
		if err != nil {
			b.Fatal(err)
		}
		for at := 0; at < rows; at += chunk {
			start := time.Now()
			for i := range records {
				if err := decoder.Decode(&records[i], &messages[at+i]); err != nil {
					b.Fatal(err)
				}
			}
			decoded := time.Now()
			batch.Reset()
			for i := range records {
				// The decoder reuses its slices: the last record stands for all.
				r := records[chunk-1]
				r.Message, r.Time = &messages[at+i], data.Series[0].Times[at+i]
				r.Values = data.Series[0].Rows[at+i]
				if err := engine.Apply(&batch, &r); err != nil {
					b.Fatal(err)
				}
			}
			applied := time.Now()
			line = encoder.AppendBatch(line[:0], &batch)
			decode += decoded.Sub(start)
			apply += applied.Sub(decoded)
			encode += time.Since(applied)
			samples += chunk
		}
	}
	total := (decode + apply + encode).Seconds()
	b.ReportMetric(float64(samples)/total, "samples/s")
	b.ReportMetric(100*decode.Seconds()/total, "%decode")
	b.ReportMetric(100*apply.Seconds()/total, "%model")
	b.ReportMetric(100*encode.Seconds()/total, "%encode")
}

func benchMessages(b *testing.B, data *eval.Dataset, input string) ([]stream.Message, stream.Decoder) {
	b.Helper()
	messages := datasetMessages(data)
	if input == "json" {
		decoder, err := format.NewJSON(format.JSONConfig{})
		if err != nil {
			b.Fatal(err)
		}
		return withOffsets(messages), decoder
	}
	decoder, err := format.NewCSV(format.CSVConfig{Header: slices.Concat([]string{"time"}, data.Variables)})
	if err != nil {
		b.Fatal(err)
	}
	for i, y := range data.Series[0].Rows {
		line := bytes.NewBufferString(time.Unix(0, data.Series[0].Times[i]).UTC().Format(time.RFC3339))
		for _, v := range y {
			fmt.Fprintf(line, ",%v", v)
		}
		messages[i].Value = line.Bytes()
	}
	return withOffsets(messages), decoder
}

// withOffsets gives the messages the offsets of a log.
func withOffsets(messages []stream.Message) []stream.Message {
	for i := range messages {
		messages[i].Offset = int64(i)
	}
	return messages
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
func newStageSamples(b *testing.B, d int) *stageSamples {
	b.Helper()
	const rows = 1024
	data := simulate(&config.Simulated{Setting: "exponential", Noise: "white", Dim: d, Rows: rows, Seed: 1, Interval: time.Minute})
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
func (s *stageSamples) engine(b *testing.B, c *config.Config) (*stream.Engine, func(*stream.Batch)) {
	b.Helper()
	e, err := newEngine(c)
	if err != nil {
		b.Fatal(err)
	}
	var m stream.Message
	r := stream.Record{Message: &m, Series: "s", Names: s.names}
	n := 0
	step := func(batch *stream.Batch) {
		r.Time = s.times[0] + int64(n)*int64(time.Minute)
		r.Values = s.values[n%len(s.values)]
		m.Offset = int64(n)
		if err := e.Apply(batch, &r); err != nil {
			b.Fatal(err)
		}
		n++
	}
	var batch stream.Batch
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
	var batch stream.Batch
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
	var batch stream.Batch
	for range perBatch {
		step(&batch)
	}
	encoder := lineproto.Encoder{Levels: c.Model.Levels}
	var buf []byte
	b.ReportAllocs()
	start := processorTime()
	for b.Loop() {
		buf = encoder.AppendBatch(buf[:0], &batch)
	}
	reportSample(b, start, perBatch)
	b.ReportMetric(float64(bytes.Count(buf, []byte("\n")))/perBatch, "lines/sample")
}

func (s *stageSamples) score(b *testing.B) {
	scorer := eval.NewScorer(eval.ScorerConfig{Dim: len(s.names), Horizons: []int{1}, Window: 1000, Level: .9})
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
		state = e.Snapshot(state[:0])
	}
	reportSample(b, start, 1)
	b.ReportMetric(float64(len(state)), "bytes")
}

// reportSample reports the processor time a sample since start, for samples a
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
