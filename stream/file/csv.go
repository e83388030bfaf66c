package file

import (
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// CSV encodes the forecasts of a batch as lines
//
//	time,series,target,horizon,model,yhat,yhat_lower,yhat_upper
//
// with the target time. With several interval levels there is one line a level,
// and a last column, level.
type CSV struct {
	// TimeUnit is that of the time column; Auto means RFC 3339.
	TimeUnit format.TimeUnit
	// Levels are those of the engine.
	Levels []float64
}

// AppendHeader implements Encoder.
func (e CSV) AppendHeader(dst []byte) []byte { panic("file: not yet") }

// AppendBatch implements Encoder.
func (e CSV) AppendBatch(dst []byte, b *stream.Batch) []byte { panic("file: not yet") }
