package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/run"
)

// fleet describes many series that send one row each in turn, like hosts.
type fleet struct{ series, rows, variables int }

func (f fleet) String() string { return fmt.Sprintf("%d x %d", f.series, f.rows) }

// configured returns the engine configuration of the program for f, with the given tier and horizon.
func (f fleet) configured(tier string, horizon int) engine.Config {
	c := config.Default()
	c.Model.Tier, c.Model.Horizon = tier, horizon
	c.Pipeline.MaxSeries = f.series
	return wire.EngineConfig(c, stream.AllSeries)
}

// rows is the Source of the rows of a fleet, and their Decoder.
type rows struct {
	fleet
	names    []string
	rng      *rand.Rand
	state, y []float64
	read     int
	decoded  int
}

func (f fleet) source() *rows {
	r := &rows{fleet: f, rng: rand.New(rand.NewPCG(5, 5)), state: make([]float64, f.series*f.variables), y: make([]float64, f.variables)}
	for i := range f.series {
		r.names = append(r.names, fmt.Sprint("host", i))
	}
	return r
}

// Read implements stream.Source.
func (r *rows) Read(_ context.Context, dst []stream.Message) (int, error) {
	n := min(len(dst), r.series*r.fleet.rows-r.read)
	for i := range n {
		dst[i] = stream.Message{Topic: "fleet", Offset: int64(r.read + i)}
	}
	if r.read += n; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close implements stream.Source.
func (r *rows) Close() error { return nil }

// Decode implements stream.Decoder.
func (r *rows) Decode(dst *stream.Record, _ *stream.Message) error {
	t, s := r.decoded/r.series, r.decoded%r.series
	r.decoded++
	day, of := 2*math.Pi*float64(t)/288, r.state[s*r.variables:(s+1)*r.variables]
	for j := range of {
		of[j] = .8*of[j] + .2*math.Tanh(of[(j+1)%len(of)]) + .3*r.rng.NormFloat64()
		r.y[j] = of[j] + math.Sin(day+float64(j))
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	*dst = stream.Record{Series: r.names[s], Time: start.Add(time.Duration(t) * 5 * time.Minute).UnixNano(), Values: r.y}
	return nil
}

// run sends the rows through the engine in one goroutine, like a source with a backlog. It calls after with the number
// of sent rows after each batch. It returns the processor time per row in ns, and the memory per series at the end in
// bytes.
func (f fleet) run(tier string, horizon int, after func(rows int)) (ns, bytes float64) {
	before := inUse()
	ec := f.configured(tier, horizon)
	e, err := engine.New(ec)
	check(err)
	source := f.source()
	batch, decoded, messages := new(engine.Results), new(engine.Decoded), make([]stream.Message, 256)
	finish := func() {
		check(e.Settle(batch))
		check(e.Score(batch))
		batch.Reset()
		after(source.decoded)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := now()
	for {
		n, err := source.Read(context.Background(), messages)
		if errors.Is(err, io.EOF) {
			break
		}
		decoded.Reset()
		for i := range n {
			decoded.Decode(source, &messages[i])
			check(e.LearnMessage(batch, decoded, i))
			if run.Full(batch, wire.BatchBytes(ec.Memory)) {
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

// fleetTable prints the time per row and the memory per series of fleets.
func fleetTable(*roofline) {
	table("Fleets: series that send rows in turn, seven variables", "series x rows", "tier", "rows per second:", "KB per series:")
	for _, f := range []fleet{{2000, 20, 7}, {200, 3000, 7}, {2000, 300, 7}} {
		for _, tier := range []string{"auto", "full", "light", "tiny"} {
			ns, bytes := f.run(tier, 1, func(int) {})
			row(f.String(), tier, fmt.Sprintf("%.0f", 1e9/ns), fmt.Sprintf("%.0f", bytes/1000))
		}
	}
}

// steadyTable prints the memory of the models and the scorer over ten million samples.
func steadyTable(*roofline) {
	f := fleet{2000, 5000, 2}
	table(fmt.Sprintf("Memory of %d series of %d variables, light tier", f.series, f.variables), "samples:", "heap, MB:")
	before, marks := inUse(), []int{1e6, 2e6, 5e6, f.series * f.rows}
	f.run("light", 1, func(rows int) {
		if rows >= marks[0] {
			row(fmt.Sprint(rows), fmt.Sprintf("%.0f", (inUse()-before)/1e6))
			marks = append(marks[1:], math.MaxInt)
		}
	})
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
