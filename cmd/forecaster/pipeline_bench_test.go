//go:build unix && !race

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	influxdb2 "github.com/influxdata/influxdb-client-go/v2"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/influx"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/run"
)

// BenchmarkKafka reads JSON of 7 variables from Kafka, in this process and a real
// one, and writes to nowhere: with the tiers of the default model and with
// persistence in its place, in turns. It prints the rates and their ratios to that
// with persistence, medians over the rounds.
//
//	go test -run '^$' -bench Kafka -benchtime 5x ./cmd/forecaster
func BenchmarkKafka(b *testing.B) {
	const rows = 100_000
	b.Run("broker=in process", func(b *testing.B) {
		broker, err := devbroker.Start(1, []string{"metrics"})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(broker.Close)
		compareModels(b, broker.Addr(), rows)
	})
	b.Run("broker=Apache Kafka", func(b *testing.B) {
		k := testserver.StartKafka(b)
		k.CreateTopic("metrics", 1)
		compareModels(b, k.Addr, rows)
	})
}

func compareModels(b *testing.B, broker string, rows int) {
	produceJSON(b, broker, rows)
	rates, cpu := make([][]float64, len(benchModels)), make([][]float64, len(benchModels))
	for b.Loop() {
		for i, model := range benchModels {
			c := benchConfig(model)
			start, used := time.Now(), processorTime()
			fromKafka(b, broker, rows, c, stream.Discard{})
			rates[i] = append(rates[i], float64(rows)/time.Since(start).Seconds())
			cpu[i] = append(cpu[i], float64(processorTime()-used)/float64(rows))
		}
	}
	b.ReportMetric(0, "ns/op")
	best := medianOf(rates[len(rates)-1])
	for i, model := range benchModels {
		b.ReportMetric(medianOf(rates[i]), model+"/s")
		b.ReportMetric(medianOf(cpu[i]), model+"-cpu-ns")
		b.ReportMetric(100*medianOf(rates[i])/best, model+"-%of-persistence")
	}
}

// produceJSON fills the topic metrics.
func produceJSON(b *testing.B, broker string, rows int) {
	b.Helper()
	p, err := kafkasink.NewProducer(cluster.Connection{Brokers: []string{broker}}, "metrics", slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	data := wire.Simulate(&wire.SimulatedInput{Setting: "exponential", Noise: "white", Dim: 7, Rows: rows, Seed: 1, Interval: time.Minute})
	if err := p.Send(b.Context(), job.DatasetMessages(data)); err != nil {
		b.Fatal(err)
	}
}

// fromKafka runs the pipeline over the first rows messages of the topic metrics.
func fromKafka(b *testing.B, broker string, rows int, c *config.Config, sink stream.Sink) run.Stats {
	b.Helper()
	group, err := kafka.NewGroup(kafka.GroupConfig{
		Connection: cluster.Connection{Brokers: []string{broker}}, Topics: []string{"metrics"}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	var stats run.Stats
	if err := group.Run(b.Context(), func(ctx context.Context, p *kafka.Partition) error {
		c.Input.Set(&wire.KafkaInput{MaxMessageLen: 1 << 20})
		newDecoder, err := wire.NewDecoders(c, slog.Default())
		if err != nil {
			return err
		}
		decoder, err := newDecoder(ctx)
		if err != nil {
			return err
		}
		e, err := wire.NewEngine(c, stream.AllSeries)
		if err != nil {
			return err
		}
		r, err := run.NewRunner(run.Config{Source: &firstMessages{Source: p, left: rows}, Decoder: decoder, Engine: e, Sink: sink})
		if err != nil {
			return err
		}
		err = r.Run(ctx)
		stats = r.Stats()
		return err
	}); err != nil {
		b.Fatal(err)
	}
	if len(stats.DeadLetters) > 0 || stats.Records != int64(rows) {
		b.Fatalf("%+v", stats)
	}
	return stats
}

// firstMessages ends after the first messages.
type firstMessages struct {
	stream.Source
	left int
}

func (f *firstMessages) Read(ctx context.Context, dst []stream.Message) (int, error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	n, err := f.Source.Read(ctx, dst[:min(len(dst), f.left)])
	f.left -= n
	return n, err
}

func medianOf(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// BenchmarkInfluxDB writes the points of 7 variables to a real InfluxDB, alternately from
//
//   - prepared lines: the rate is the limit of the database,
//   - prepared batches, which the sink encodes: the processor time of this process is that of the sink,
//   - the whole pipeline from a real Kafka, with persistence and with two tiers of the default model.
//
// It prints lines per second, medians over the rounds, and their ratios to the first.
//
//	go test -run '^$' -bench InfluxDB -benchtime 5x ./cmd/forecaster
func BenchmarkInfluxDB(b *testing.B) {
	const rows = 30_000 // some seconds: starting takes a tenth of one
	k := testserver.StartKafka(b)
	k.CreateTopic("metrics", 1)
	db := testserver.StartInfluxDB(b)
	produceJSON(b, k.Addr, rows)

	c := config.Default()
	c.Model.Type = "persistence"
	batches := &keptBatches{encoder: lineproto.Encoder{Levels: c.Model.Levels}}
	fromKafka(b, k.Addr, rows, c, batches)

	open := func(bucket string) *influx.Sink {
		s, err := influx.New(influx.Config{URL: db.URL, Bucket: bucket, Encoder: lineproto.Encoder{Levels: c.Model.Levels}, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	type way struct {
		name  string
		write func(bucket string) (lines int64)
	}
	ways := []way{
		{"ready", func(bucket string) int64 { return writeLines(b, db.URL, bucket, batches.lines) }},
		{"sink", func(bucket string) int64 {
			s := open(bucket)
			defer s.Close()
			for i := range batches.batches {
				if err := s.Write(b.Context(), batches.batches[i]); err != nil {
					b.Fatal(err)
				}
			}
			return s.Stats().Written
		}},
	}
	for _, model := range []string{"persistence", "light", "full"} {
		ways = append(ways, way{model, func(bucket string) int64 {
			s := open(bucket)
			defer s.Close()
			fromKafka(b, k.Addr, rows, benchConfig(model), s)
			return s.Stats().Written
		}})
	}
	rates, shares := make([][]float64, len(ways)), make([][]float64, len(ways))
	round := 0
	for b.Loop() {
		for i, w := range ways {
			bucket := db.CreateDatabase(fmt.Sprint(w.name, round))
			start, ours, theirs := time.Now(), processorTime(), db.ProcessorTime()
			lines := w.write(bucket)
			elapsed := time.Since(start)
			ours, theirs = processorTime()-ours, db.ProcessorTime()-theirs
			rates[i] = append(rates[i], float64(lines)/elapsed.Seconds())
			shares[i] = append(shares[i], 100*float64(ours)/float64(ours+theirs))
		}
		round++
	}
	b.ReportMetric(0, "ns/op")
	for i, w := range ways {
		b.ReportMetric(medianOf(rates[i]), w.name+"-lines/s")
		b.ReportMetric(medianOf(shares[i]), w.name+"-%cpu")
		if i > 0 {
			b.ReportMetric(100*medianOf(rates[i])/medianOf(rates[0]), w.name+"-%of-ready")
		}
	}
}

// keptBatches is a sink that keeps what it gets, as batches and as requests of
// 5,000 lines.
type keptBatches struct {
	encoder lineproto.Encoder
	batches []*stream.Batch
	lines   []string
	rest    []byte
}

// Write implements stream.Sink.
func (s *keptBatches) Write(_ context.Context, b *stream.Batch) error {
	c := &stream.Batch{Metrics: slices.Clone(b.Metrics), Events: slices.Clone(b.Events)}
	for _, f := range b.Forecasts {
		f.Yhat, f.Lower, f.Upper = slices.Clone(f.Yhat), slices.Clone(f.Lower), slices.Clone(f.Upper)
		c.Forecasts = append(c.Forecasts, f)
	}
	for _, o := range b.Observations {
		o.Y, o.Residual, o.VariableScores, o.Share = slices.Clone(o.Y), slices.Clone(o.Residual), slices.Clone(o.VariableScores), slices.Clone(o.Share)
		c.Observations = append(c.Observations, o)
	}
	s.batches = append(s.batches, c)
	s.rest = s.encoder.AppendBatch(s.rest, b)
	for {
		end := 0
		for range 5000 {
			i := bytes.IndexByte(s.rest[end:], '\n')
			if i < 0 {
				return nil // the next batch goes on
			}
			end += i + 1
		}
		s.lines = append(s.lines, string(s.rest[:end]))
		s.rest = s.rest[end:]
	}
}

// Close implements stream.Sink.
func (s *keptBatches) Close() error { return nil }

// writeLines writes requests with the client library alone and returns the number
// of lines.
func writeLines(b *testing.B, url, bucket string, requests []string) (lines int64) {
	b.Helper()
	client := influxdb2.NewClient(url, "")
	defer client.Close()
	w := client.WriteAPIBlocking("-", bucket)
	var errs []error
	for _, r := range requests {
		errs = append(errs, w.WriteRecord(b.Context(), r))
		lines += int64(strings.Count(r, "\n"))
	}
	if err := errors.Join(errs...); err != nil {
		b.Fatal(err)
	}
	return lines
}
