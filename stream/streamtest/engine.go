package streamtest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Snapshot returns the state of e.
func Snapshot(e *engine.Engine) []byte { return encoded(e, true) }

// Changes returns the changes of the state of e since the last call of Saved.
func Changes(e *engine.Engine) []byte { return encoded(e, false) }

func encoded(e *engine.Engine, all bool) []byte {
	b, err := e.Encoded(all).Bytes()
	if err != nil {
		panic(err) // it is in memory
	}
	return b
}

// Restore restores the results of Snapshot and Changes.
func Restore(e *engine.Engine, whole []byte, changes ...[]byte) error {
	var states []checkpoint.State
	for _, b := range changes {
		states = append(states, checkpoint.StateOf(b))
	}
	return e.Restore(checkpoint.StateOf(whole), states...)
}

// Reject makes e refuse m for the reason why.
func Reject(e *engine.Engine, b *engine.Results, m *stream.Message, why *refuse.Error) error {
	refused := *m
	refused.Refused = why
	var d engine.Decoded
	d.Decode(nil, &refused)
	return e.LearnMessage(b, &d, 0)
}

// Apply learns and scores a message with one record, unless it was applied before.
func Apply(e *engine.Engine, b *engine.Results, r *stream.Record) error {
	if r.Message.Offset < e.Next() {
		return nil
	}
	var d engine.Decoded
	d.Decode(given{r}, r.Message)
	return errors.Join(e.LearnMessage(b, &d, 0), e.Settle(b), e.Score(b))
}

// DriftConfig returns a configuration with the model Drift and every option enabled.
func DriftConfig() engine.Config {
	c := engine.Config{
		Model: "drift", Horizon: 4, Emit: []int{1, 2, 4}, Levels: []float64{.8, .5},
		MetricsEvery: 10, MetricsWindow: 40,
		Config: assemble.Config{MaxGap: 3, SchemaChangeAfter: 3, MaxSeries: 8},
	}
	c.NewModel = func(dim int) (eval.Model, error) { return NewDrift(dim, c.Horizon, len(c.Levels)), nil }
	c.Baselines = []engine.Baseline{
		{Name: "persistence", New: func(dim, horizon int) (eval.Model, error) { return Constant{}, nil }},
		{Name: "var1", Reference: true, New: func(dim, horizon int) (eval.Model, error) {
			return NewDrift(dim, horizon, 0), nil
		}},
	}
	return c
}

// Records returns n records of five series with all kinds of faulty data: missing, late, repeated and infinite
// values, gaps, variables that change in number or order, and samples that make the model diverge.
func Records(n int, seed uint64) []stream.Record {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]stream.Record, n)
	clock := make([]int64, 5)
	for i := range out {
		k := rng.IntN(5)
		clock[k] += 1e9
		t := clock[k] + int64(k)
		switch rng.IntN(40) {
		case 0:
			t -= 3e9
		case 1:
			t -= 1e9
		case 2:
			clock[k] += rng.Int64N(8e9)
			t = clock[k]
		}
		d := 1 + k%3
		if i > n/2 && k == 1 {
			d = 4 // a change of schema
		} else if rng.IntN(30) == 0 {
			d++
		}
		r := stream.Record{
			Message: &stream.Message{Topic: "in", Offset: int64(2 * i), Key: fmt.Append(nil, "s", k), Value: fmt.Append(nil, "record ", i)},
			Series:  fmt.Sprint("s", k), Time: t,
		}
		for j := range d {
			if k != 2 {
				r.Names = append(r.Names, fmt.Sprint("v", j))
			}
			v := math.Sin(float64(i)/9) + rng.NormFloat64()
			switch rng.IntN(60) {
			case 0:
				v = math.NaN()
			case 1:
				v = math.Inf(1)
			case 2:
				v = Poison
			}
			r.Values = append(r.Values, v)
		}
		if rng.IntN(2) == 0 && r.Names != nil {
			rng.Shuffle(len(r.Names), func(a, b int) {
				r.Names[a], r.Names[b] = r.Names[b], r.Names[a]
				r.Values[a], r.Values[b] = r.Values[b], r.Values[a]
			})
		}
		out[i] = r
	}
	return out
}

// Constant is a model that forecasts zero.
type Constant struct{}

func (Constant) Observe([]float64) error    { return nil }
func (Constant) State(*snapshot.Codec)      {}
func (Constant) NewSeries() eval.Forecaster { return Constant{} }
func (Constant) ForecastTo(dst []float64) bool {
	clear(dst)
	return true
}

// NewEngine returns an engine of c.
func NewEngine(t testing.TB, c engine.Config) *engine.Engine {
	t.Helper()
	e, err := engine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// LearnGrouped passes the records to e. After every few records, and at the end, e settles and scores into b.
func LearnGrouped(t testing.TB, e *engine.Engine, b *engine.Results, records []stream.Record, every int) {
	t.Helper()
	var d engine.Decoded
	for i := range records {
		d.Reset()
		d.Decode(given{&records[i]}, records[i].Message)
		if err := e.LearnMessage(b, &d, 0); err != nil {
			t.Fatal(err)
		}
		if (i+1)%every != 0 && i+1 < len(records) {
			continue
		}
		if err := e.Settle(b); err != nil {
			t.Fatal(err)
		}
		if err := e.Score(b); err != nil {
			t.Fatal(err)
		}
	}
}

// given is a Decoder that returns a record.
type given struct{ *stream.Record }

func (g given) Decode(r *stream.Record, _ *stream.Message) error {
	*r = *g.Record
	return nil
}
