package wire

import (
	"runtime"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/varmodel/auto"
)

// Emitted returns the horizons that are written to the outputs.
func Emitted(c *config.Config) []int {
	if len(c.Pipeline.Emit) > 0 {
		return c.Pipeline.Emit
	}
	all := make([]int, c.Model.Horizon)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// NewEngine returns the engine of one partition. Its pooled scores over all series have the series name pool.
func NewEngine(c *config.Config, pool string) (*engine.Engine, error) {
	return engine.New(EngineConfig(c, pool))
}

// EngineConfig returns the configuration of one engine. Use it for one engine only: the models of a shard share scratch
// memory.
func EngineConfig(c *config.Config, pool string) engine.Config {
	baselines := []engine.Baseline{baseline}
	if c.Model.Type == Reference {
		baselines = nil // the model is the baseline itself
	}
	m, shards := c.Model, constructors(c.Model, c.Pipeline.Scope == "shared")
	return engine.Config{
		Config: assemblerConfig(c),

		Model:         c.Model.Type,
		NewModel:      shards[0].NewModel,
		Lighter:       shards[0].Lighter,
		Shards:        shards[1:],
		Intervals:     newIntervals(m, c.Pipeline.Emit),
		Drift:         newDriftWatch(m),
		Memory:        ModelMemory(c),
		GrowAfter:     growAfter,
		Anomalies:     func(variables []string) anomaly.Config { return anomaliesOf(m, variables) },
		Bounds:        func(variables []string) (low, high []float64) { return boundsOf(m, variables) },
		Limits:        func(variables []string) []scoring.Limit { return limitsOf(m, variables) },
		Pool:          pool,
		Scope:         engine.Scope(c.Pipeline.Scope),
		Baselines:     baselines,
		Horizon:       c.Model.Horizon,
		Emit:          c.Pipeline.Emit,
		Levels:        c.Model.Levels,
		Joint:         c.Model.Joint,
		MetricsEvery:  c.Evaluate.Interval,
		MetricsWindow: c.Evaluate.Window,
	}
}

// constructors returns one shard per processor, at most maxShards. With more shards, the single goroutine that scores the
// forecasts is the bottleneck.
func constructors(m config.Model, weights bool) []engine.Constructors {
	const maxShards = 8
	list := make([]engine.Constructors, min(runtime.GOMAXPROCS(0), maxShards))
	for i := range list {
		s := sharing{weights: weights, work: new(auto.Workspace)}
		list[i] = engine.Constructors{
			NewModel: func(dim int) (eval.Model, error) { return newEngineModel(m, dim, s) },
			Lighter:  youngModel(m, s.work),
		}
	}
	return list
}

// NewAssembler returns the assembler of an engine, without the engine.
func NewAssembler(c *config.Config) (*assemble.Assembler, error) {
	return assemble.New(assemblerConfig(c))
}

func assemblerConfig(c *config.Config) assemble.Config {
	missing, _ := c.Pipeline.MissingNumbers() // err is nil: the configuration was validated
	return assemble.Config{
		Variables:         c.Pipeline.Variables,
		Tags:              seriesTags(c),
		Exogenous:         c.Model.Exogenous,
		Calendar:          calendarOf(c.Model),
		Interval:          c.Pipeline.Interval.Fixed(),
		Months:            c.Pipeline.Interval.Months(),
		Assembly:          assemblyOf(c),
		MaxGap:            c.Pipeline.MaxGap,
		Rates:             c.Pipeline.Rate,
		Missing:           missing,
		SchemaChangeAfter: c.Pipeline.SchemaChangeAfter,
		MaxAhead:          c.Pipeline.MaxAhead,
		MaxSeries:         c.Pipeline.MaxSeries,
		MaxDim:            c.Pipeline.MaxDim,
		MaxAbs:            c.Pipeline.MaxAbs,
	}
}

// assemblyOf returns the rules for assembling samples from records. It returns nil if each record is a sample: without an
// interval, or for a format of whole samples without settings that wait for late records or fill missing values.
func assemblyOf(c *config.Config) *assemble.Assembly {
	p := c.Pipeline
	if p.Interval <= 0 || p.Wait == 0 && !p.WaitForLate && p.Fill == string(assemble.FillNone) && !inParts(c) {
		return nil
	}
	return &assemble.Assembly{
		Wait: p.Wait, WaitForLate: p.WaitForLate, Fill: assemble.Fill(p.Fill), Aggregate: assemble.Aggregate(p.Aggregate),
		Rates: hasRates(c),
	}
}
