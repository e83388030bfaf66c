package main

import (
	"bytes"
	"fmt"
	"slices"
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
