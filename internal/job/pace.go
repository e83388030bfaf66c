package job

import (
	"context"
	"math"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// pacer limits a loop to rate iterations per second.
type pacer struct {
	rate  float64
	start time.Time
	n     float64
}

func newPacer(rate float64) *pacer { return &pacer{rate: rate, start: time.Now()} }

// wait returns when n more iterations are due; rate 0: immediately.
func (p *pacer) wait(ctx context.Context, n int) error {
	if p.rate == 0 {
		return ctx.Err()
	}
	due := p.start.Add(time.Duration(p.n / p.rate * float64(time.Second)))
	p.n += float64(n)
	return sleep(ctx, time.Until(due))
}

// paced delays the messages of src to speed times real time, by their time stamps; 0: no delay.
func paced(src stream.Source, dec stream.Decoder, speed float64) stream.Source {
	if speed == 0 {
		return src
	}
	return &pacedSource{Source: src, decoder: dec, speed: speed}
}

type pacedSource struct {
	stream.Source
	decoder stream.Decoder
	speed   float64
	record  stream.Record
	first   int64     // time of the first sample
	start   time.Time // when it was delivered
}

// Read implements stream.Source: one message at a time, when it is due.
func (p *pacedSource) Read(ctx context.Context, dst []stream.Message) (int, error) {
	n, err := p.Source.Read(ctx, dst[:1])
	if n == 0 {
		return n, err
	}
	if p.decoder.Decode(&p.record, &dst[0]) != nil {
		return n, err // the engine refuses the message
	}
	if p.start.IsZero() {
		p.start, p.first = time.Now(), p.record.Time
	}
	due := p.start.Add(time.Duration(math.Min(float64(p.record.Time-p.first)/p.speed, math.MaxInt64/2)))
	if sleep(ctx, time.Until(due)) != nil {
		return 0, ctx.Err()
	}
	return n, err
}

// Seek implements checkpoint.Seeker if the source does.
func (p *pacedSource) Seek(ctx context.Context, next int64, last stream.Mark) error {
	if s, ok := p.Source.(checkpoint.Seeker); ok {
		return s.Seek(ctx, next, last)
	}
	return nil
}

// sleep waits for d, or returns the error of ctx when that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
