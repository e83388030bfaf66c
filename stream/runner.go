package stream

import (
	"context"
	"time"
)

// RunnerConfig says what a Runner connects. Source, Decoder, Engine and Sink are
// required.
type RunnerConfig struct {
	Source  Source
	Decoder Decoder
	Engine  *Engine // new: the Runner restores it
	Sink    Sink

	// DeadLetters keeps what could not be used; nil means that it is only
	// counted. Letters for one of the reasons in Drop are only counted, too.
	DeadLetters DeadLetters
	Drop        []Reason

	// Store keeps the checkpoints; nil means that there are none and that
	// nothing is committed. Fingerprint is that of the configuration and the
	// build: a checkpoint with another one is refused.
	Store       Store
	Fingerprint string

	// CheckpointEvery is the time between two checkpoints; 0 means 10 s.
	// CheckpointRecords is the number of records after which one is due in any
	// case; 0 means that only time counts. There is always one at the end.
	CheckpointEvery   time.Duration
	CheckpointRecords int64

	// BatchPoints and BatchBytes are the sizes at which a batch is full; 0
	// means 5,000 points and 8 MiB. A single record may exceed them.
	BatchPoints int
	BatchBytes  int

	// DrainTimeout is the time that the last batch may take after the context
	// of Run has ended; 0 means 10 s.
	DrainTimeout time.Duration
}

// Runner runs one partition.
type Runner struct{}

// NewRunner returns a Runner that has not started.
func NewRunner(c RunnerConfig) (*Runner, error) { panic("stream: not yet") }

// Run resumes from the Store and works until the source ends, ctx ends, or
// something fails for good. When ctx ends, what was read is still written and a
// checkpoint taken. It returns nil after either kind of orderly end. Run closes
// nothing and can be called once.
func (r *Runner) Run(ctx context.Context) error { panic("stream: not yet") }

// Stats returns the counters as they are now. It may be called at any time from
// any goroutine.
func (r *Runner) Stats() Stats { panic("stream: not yet") }

// Stats are the counters of a Runner since its start.
type Stats struct {
	Records      int64 // applied, learnt from or refused
	Forecasts    int64 // written to the sink, likewise the next three
	Observations int64
	Metrics      int64
	Events       int64
	DeadLetters  map[Reason]int64 // all, kept or not

	Series    int64
	Next      int64 // offset after the last record written
	Watermark int64 // time of the newest sample written, ns; 0 = none

	Checkpoints     int64
	CheckpointBytes int64     // of the last one
	CheckpointTime  time.Time // of the last one saved or loaded, or of the start

	Stages [NumStages]StageStats
}

// Stage is a part of the work of a Runner.
type Stage int

// The stages.
const (
	StageRead       Stage = iota // waiting for the source
	StageApply                   // decoding and the engine
	StageWait                    // waiting for the writer: back-pressure
	StageWrite                   // sink and dead letters
	StageCheckpoint              // store and commit
	NumStages
)

// String returns the name of the stage in the metrics.
func (s Stage) String() string {
	return [NumStages]string{"read", "apply", "wait", "write", "checkpoint"}[s]
}

// StageStats is how often a stage was entered and how long it took in all.
type StageStats struct {
	Count   int64
	Elapsed time.Duration
}
