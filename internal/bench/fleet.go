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
)

// fleet is many series that send a row each in turn, as hosts do.
type fleet struct{ series, rows, variables int }

// run sends the rows through the engine of the program with the given tier. It returns the
// processor time per row in ns, and the bytes that a series holds at the end.
func (f fleet) run(tier string) (ns, bytes float64) {
	c := config.Default()
	c.Model.Tier = tier
	c.Pipeline.MaxSeries = f.series
	before := inUse()
	e, err := stream.NewEngine(build.EngineConfig(c, stream.AllSeries))
	if err != nil {
		panic(err)
	}
	names := make([]string, f.series)
	for i := range names {
		names[i] = fmt.Sprint("host", i)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	state, y := make([]float64, f.series*f.variables), make([]float64, f.variables)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	batch, m := new(stream.Batch), new(stream.Message)
	r := &stream.Record{Message: m, Values: y}
	var spent time.Duration
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for t := range f.rows {
		day := 2 * math.Pi * float64(t) / 288
		begin := now()
		for s := range f.series {
			of := state[s*f.variables : (s+1)*f.variables]
			for j := range of {
				of[j] = .8*of[j] + .2*math.Tanh(of[(j+1)%len(of)]) + .3*rng.NormFloat64()
				y[j] = of[j] + math.Sin(day+float64(j))
			}
			m.Offset, r.Series, r.Time = e.Next(), names[s], start+int64(t)*int64(5*time.Minute)
			if err := learnOne(e, batch, r); err != nil {
				panic(err)
			}
			if batch.Points() >= 2000 {
				if err := e.Score(batch); err != nil {
					panic(err)
				}
				batch.Reset()
			}
		}
		spent += now() - begin
	}
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

// learnOne learns from the only record of a message.
func learnOne(e *stream.Engine, b *stream.Batch, r *stream.Record) error {
	e.Begin(b, r.Message)
	return e.Learn(b, r)
}
