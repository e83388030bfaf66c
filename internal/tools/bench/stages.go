package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/auto"
)

const (
	variables = 7   // number of variables of a sample
	samples   = 512 // number of different samples, which are repeated
)

// series holds the samples of a mean-reverting walk, as messages and as values.
type series struct {
	header []string // names of the CSV columns
	names  []string
	values [][]float64
	json   [][]byte // named values
	other  [][]byte // named values, where consecutive messages differ in shape
	array  [][]byte // arrays
	csv    [][]byte
}

func newSeries() *series {
	s := &series{header: []string{"time"}}
	for j := range variables {
		s.names = append(s.names, fmt.Sprintf("v%d", j))
	}
	s.header = append(s.header, s.names...)
	rng := rand.New(rand.NewPCG(3, 3))
	v := make([]float64, variables)
	for t := range samples {
		named := fmt.Appendf(nil, `{"time":%d,"values":{`, 1767225600+60*t)
		array := fmt.Appendf(nil, `{"time":%d,"values":[`, 1767225600+60*t)
		line := fmt.Appendf(nil, "%d", 1767225600+60*t)
		for j := range v {
			v[j] = 0.9*v[j] + rng.NormFloat64()
			if j > 0 {
				named, array = append(named, ','), append(array, ',')
			}
			named = fmt.Appendf(named, `"%s":`, s.names[j])
			named = strconv.AppendFloat(named, v[j], 'g', 8, 64)
			array = strconv.AppendFloat(array, v[j], 'g', 8, 64)
			line = strconv.AppendFloat(append(line, ','), v[j], 'g', 8, 64)
		}
		s.values = append(s.values, append([]float64(nil), v...))
		s.json = append(s.json, append(named, "}}"...))
		s.other = append(s.other, append(slices.Repeat([]byte(" "), t%2), s.json[t]...))
		s.array = append(s.array, append(array, "]}"...))
		s.csv = append(s.csv, line)
	}
	return s
}

// decoding is the workload of a decoder.
func decoding(name string, d stream.Decoder, messages [][]byte) work {
	var r stream.Record
	m := stream.Message{Topic: "bench", Key: []byte("s")}
	t := 0
	return work{name, 1, func() {
		m.Value = messages[t]
		if err := d.Decode(&r, &m); err != nil {
			panic(err)
		}
		t = (t + 1) % len(messages)
	}}
}

// applying is the workload of an engine with a model. It also returns the last results.
func (s *series) applying(name string, model func() (eval.Model, error)) (work, *engine.Results) {
	e, err := engine.New(engine.Config{
		Model: name, NewModel: func(int) (eval.Model, error) { return model() }, Horizon: 1, Config: assemble.Config{Variables: s.names},
	})
	if err != nil {
		panic(err)
	}
	batch := new(engine.Results)
	var m stream.Message
	r := stream.Record{Message: &m, Series: "s", Names: s.names}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	t := 0
	w := work{"apply: " + name, 1, func() {
		batch.Reset()
		m.Offset = int64(t)
		r.Time = start + int64(t)*int64(time.Minute)
		r.Values = s.values[t%samples]
		if err := errors.Join(e.Learn(batch, &r), e.Score(batch)); err != nil {
			panic(err)
		}
		t++
	}}
	for range 10 * samples { // warm up
		w.do()
	}
	return w, batch
}

// encoding is the workload of writing the points of a batch.
func encoding(b *engine.Results) work {
	var buf []byte
	return work{"encode: line protocol, forecast and observation", 1, func() { buf = (lineproto.Encoder{}).AppendBatch(buf[:0], &b.Batch) }}
}

// stages returns the workloads of the pipeline without input and output.
func stages() []work {
	s := newSeries()
	json, err := format.NewJSON(format.JSONConfig{})
	if err != nil {
		panic(err)
	}
	csv, err := format.NewCSV(format.CSVConfig{Header: s.header})
	if err != nil {
		panic(err)
	}
	persistence, batch := s.applying("persistence", func() (eval.Model, error) {
		return varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: variables, Horizon: 1})
	})
	orffvar, _ := s.applying("ORFFVAR, three components", func() (eval.Model, error) {
		return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: variables, Order: 3, Horizon: 1})
	})
	auto, _ := s.applying("auto", func() (eval.Model, error) {
		return auto.New(auto.Config{Dim: variables, Horizon: 1})
	})
	return []work{
		decoding("decode: JSON, named values", json, s.json),
		decoding("decode: JSON, of another shape than the message before", json, s.other),
		decoding("decode: JSON, array", json, s.array),
		decoding("decode: CSV", csv, s.csv),
		persistence, orffvar, auto,
		encoding(batch),
	}
}
