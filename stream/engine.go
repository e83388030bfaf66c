package stream

import "github.com/orffvar/forecaster/internal/snapshot"

// Engine is the pure core of the program: it turns records into forecasts,
// scores and events. It has no clock, no goroutine and does no I/O, so its state
// is a function of its configuration and the records applied, and a replay gives
// the same bits. It is not safe for concurrent use.
type Engine struct{}

// NewEngine returns an Engine that has seen nothing. The error reports every
// violated relation of c at once.
func NewEngine(c EngineConfig) (*Engine, error) { panic("stream: not yet") }

// Apply learns from r and appends what comes of it to dst. What is wrong with
// the data becomes a dead letter in dst; an error is fatal and leaves the Engine
// unusable. A record whose offset was applied before is skipped.
func (e *Engine) Apply(dst *Batch, r *Record) error { panic("stream: not yet") }

// Reject does what Apply does for a message that could not be decoded.
func (e *Engine) Reject(dst *Batch, m *Message, err *DataError) { panic("stream: not yet") }

// Next returns the offset after the last message applied.
func (e *Engine) Next() int64 { panic("stream: not yet") }

// NumSeries returns the number of series seen.
func (e *Engine) NumSeries() int { panic("stream: not yet") }

// State saves or restores everything that later results depend on.
func (e *Engine) State(c *snapshot.Codec) { panic("stream: not yet") }

// Snapshot appends the state to dst.
func (e *Engine) Snapshot(dst []byte) []byte { panic("stream: not yet") }

// Restore replaces the state by what Snapshot wrote. After an error the Engine
// is as before.
func (e *Engine) Restore(state []byte) error { panic("stream: not yet") }
