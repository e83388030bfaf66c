package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// Config configures the simulation.
type Config struct {
	// Series are the simulated series. Each step has one sample per series, in this order.
	Series []Series

	// Start is the time of the first step. Interval is the time between two steps; it must be positive.
	Start    time.Time
	Interval time.Duration

	// Steps is the number of steps; 0 means no end.
	Steps int64

	// Pace is the pause before each step; 0 means none.
	Pace time.Duration
}

// Series is one simulated series.
type Series struct {
	Name string
	New  func() simulate.Generator // returns the same generator each time
}

// Source delivers simulated samples as JSON, in the wide format that format.JSON
// reads by default. The variables are x1, x2, and so on. The same configuration
// gives the same messages. It implements stream.Source and checkpoint.Seeker.
type Source struct {
	c      Config
	next   int64 // offset: step * number of series + series
	paced  int64 // number of steps with a pause so far
	gens   []simulate.Generator
	keys   [][]byte
	y      []float64
	buffer []byte
}

// NewSource returns a source at its first step.
func NewSource(c Config) (*Source, error) {
	if len(c.Series) == 0 || c.Interval <= 0 || c.Steps < 0 || c.Pace < 0 {
		return nil, errors.New("sim: a source needs series, a positive interval, and no negative number")
	}
	s := &Source{c: c}
	for _, series := range c.Series {
		if series.Name == "" || series.New == nil {
			return nil, errors.New("sim: each series needs a name and a generator")
		}
		s.keys = append(s.keys, []byte(series.Name))
	}
	s.rewind()
	return s, nil
}

func (s *Source) rewind() {
	s.next, s.paced = 0, 0
	s.gens = s.gens[:0]
	for _, series := range s.c.Series {
		s.gens = append(s.gens, series.New())
	}
}

// Decoder returns a decoder of the messages.
func (s *Source) Decoder() (stream.Decoder, error) {
	return format.NewJSON(format.JSONConfig{TimeUnit: timestamp.Nanoseconds})
}

// Seek implements checkpoint.Seeker. Skipped samples are simulated without pauses.
func (s *Source) Seek(ctx context.Context, next int64, _ stream.Mark) error {
	if next < s.next {
		s.rewind()
	}
	for s.next < next && !s.ended() {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.sample()
	}
	s.paced = (s.next + int64(len(s.gens)) - 1) / int64(len(s.gens))
	return nil
}

func (s *Source) ended() bool {
	return s.c.Steps > 0 && s.next >= s.c.Steps*int64(len(s.gens))
}

// sample simulates the next sample and returns its series.
func (s *Source) sample() int {
	k := int(s.next % int64(len(s.gens)))
	s.next++
	d := s.gens[k].Dim()
	for len(s.y) < d {
		s.y = append(s.y, 0)
	}
	s.y = s.y[:d]
	s.gens[k].Next(s.y)
	return k
}

// Read implements stream.Source.
func (s *Source) Read(ctx context.Context, dst []stream.Message) (int, error) {
	s.buffer = s.buffer[:0]
	for n := range dst {
		if s.ended() {
			return n, endOf(n)
		}
		if err := ctx.Err(); err != nil && n == 0 {
			return 0, err
		}
		step := s.next / int64(len(s.gens))
		if s.c.Pace > 0 && step >= s.paced {
			if n > 0 {
				return n, nil
			}
			select {
			case <-time.After(s.c.Pace):
				s.paced = step + 1
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		offset := s.next
		k := s.sample()
		from := len(s.buffer)
		at := s.c.Start.UnixNano() + step*int64(s.c.Interval)
		s.buffer = s.appendMessage(s.buffer, at)
		dst[n] = stream.Message{
			Topic: "simulation", Offset: offset, Time: at, Key: s.keys[k],
			Value: s.buffer[from:len(s.buffer):len(s.buffer)],
		}
	}
	return len(dst), nil
}

func endOf(n int) error {
	if n > 0 {
		return nil // the next Read reports it
	}
	return io.EOF
}

func (s *Source) appendMessage(dst []byte, at int64) []byte {
	dst = strconv.AppendInt(append(dst, `{"time":`...), at, 10)
	dst = append(dst, `,"values":{`...)
	for j, v := range s.y {
		if j > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, `"x%d":`, j+1)
		switch {
		case math.IsNaN(v):
			dst = append(dst, "null"...)
		case math.IsInf(v, 1):
			dst = append(dst, "1e999"...) // the engine refuses it
		case math.IsInf(v, -1):
			dst = append(dst, "-1e999"...)
		default:
			dst = strconv.AppendFloat(dst, v, 'g', -1, 64)
		}
	}
	return append(dst, "}}"...)
}

// Close implements stream.Source.
func (s *Source) Close() error { return nil }
