package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/run"
)

// fleet is many series that send a row each in turn, as hosts do.
type fleet struct{ series, rows, variables int }

// Decode implements stream.Decoder: it returns the record under way.
func (r *fleetRecord) Decode(dst *stream.Record, _ *stream.Message) error {
	*dst = r.Record
	return nil
}

type fleetRecord struct{ stream.Record }

// run sends the rows through the engine of the program with the given tier, as a source with a
// backlog does. It returns the processor time per row in ns, and the bytes that a series holds
// at the end.
func (f fleet) run(tier string) (ns, bytes float64) {
	c := config.Default()
	c.Model.Tier = tier
	c.Pipeline.MaxSeries = f.series
	before := inUse()
	ec := build.EngineConfig(c, stream.AllSeries)
	e, err := stream.NewEngine(ec)
	check(err)
	names := make([]string, f.series)
	for i := range names {
		names[i] = fmt.Sprint("host", i)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	state, y := make([]float64, f.series*f.variables), make([]float64, f.variables)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	batch, m, decoded := new(stream.Batch), new(stream.Message), new(stream.Decoded)
	r := &fleetRecord{stream.Record{Values: y}}
	finish := func() {
		check(e.Settle(batch))
		check(e.Score(batch))
		batch.Reset()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := now()
	for t := range f.rows {
		day := 2 * math.Pi * float64(t) / 288
		for s := range f.series {
			of := state[s*f.variables : (s+1)*f.variables]
			for j := range of {
				of[j] = .8*of[j] + .2*math.Tanh(of[(j+1)%len(of)]) + .3*rng.NormFloat64()
				y[j] = of[j] + math.Sin(day+float64(j))
			}
			m.Offset, r.Series, r.Time = e.Next(), names[s], start+int64(t)*int64(5*time.Minute)
			decoded.Reset()
			decoded.Decode(r, m)
			check(e.LearnMessage(batch, decoded, 0))
			if run.Full(batch, build.BatchBytes(ec.Memory)) {
				finish()
			}
		}
	}
	finish()
	spent := now() - begin
	bytes = inUse() - before
	runtime.KeepAlive(e)
	return float64(spent) / float64(f.rows*f.series), bytes / float64(f.series)
}

// fleetTable prints what many series cost.
func fleetTable(*roofline) {
	table("Fleets: series that send rows in turn, seven variables", "series x rows", "tier", "rows per second:", "KB per series:")
	for _, f := range []fleet{{200, 3000, 7}, {2000, 300, 7}} {
		for _, tier := range []string{"auto", "full", "light", "tiny"} {
			ns, bytes := f.run(tier)
			row(fmt.Sprintf("%d x %d", f.series, f.rows), tier, fmt.Sprintf("%.0f", 1e9/ns), fmt.Sprintf("%.0f", bytes/1000))
		}
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
