package main

import (
	"context"
	"io"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// settings are the names of the simulations of Brault 2017, section 8.3.2.
var settings = map[string]int{"linear": 1, "exponential": 2, "sine": 3}

// simulate draws a data set.
func simulate(c *config.Simulated) *eval.Dataset {
	d := eval.Collect("simulated", generator(c), c.Rows)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range c.Rows {
		d.Series[0].Times = append(d.Series[0].Times, start.Add(time.Duration(i)*c.Interval).UnixNano())
	}
	return d
}

func generator(c *config.Simulated) eval.Generator {
	return eval.NewSetting(eval.SettingConfig{
		Setting: settings[c.Setting], Toeplitz: c.Noise == "toeplitz", Dim: c.Dim, Seed: c.Seed,
	})
}

// newSimulated returns a source of simulated samples, with the decoder of its
// messages.
func newSimulated(c *config.Simulated) (stream.Source, stream.Decoder, error) {
	decoder, err := format.NewJSON(format.JSONConfig{})
	if err != nil {
		return nil, nil, err
	}
	messages := datasetMessages(simulate(c))
	for i := range messages {
		messages[i].Topic, messages[i].Offset = "simulated", int64(i)
	}
	return &messageSource{messages: messages}, decoder, nil
}

// messageSource delivers messages that are in memory.
type messageSource struct {
	messages []stream.Message
	next     int
}

// Read implements stream.Source.
func (s *messageSource) Read(ctx context.Context, dst []stream.Message) (int, error) {
	if s.next == len(s.messages) {
		return 0, io.EOF
	}
	n := copy(dst, s.messages[s.next:])
	s.next += n
	return n, ctx.Err()
}

// Seek implements stream.Seeker.
func (s *messageSource) Seek(_ context.Context, next int64) error {
	s.next = int(min(next, int64(len(s.messages))))
	return nil
}

// Close implements stream.Source.
func (s *messageSource) Close() error { return nil }
