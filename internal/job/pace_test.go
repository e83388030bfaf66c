package job

import (
	"context"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/sim"
)

// TestPacedSourceSeeks: a job with a speed goes on from its checkpoint, as one without does.
func TestPacedSourceSeeks(t *testing.T) {
	src, err := sim.NewSource(sim.Config{
		Series: []sim.Series{{Name: "s", New: func() simulate.Generator { return simulate.NewWhiteNoise(1, 1) }}}, Interval: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	dec, err := src.Decoder()
	if err != nil {
		t.Fatal(err)
	}
	s, ok := paced(src, dec, 1e12).(checkpoint.Seeker)
	if !ok {
		t.Fatal("a paced source has no Seek")
	}
	if err := s.Seek(context.Background(), 5, stream.Mark{}); err != nil {
		t.Fatal(err)
	}
	dst := make([]stream.Message, 3)
	if n, err := s.(stream.Source).Read(context.Background(), dst); n != 1 || err != nil || dst[0].Offset != 5 {
		t.Errorf("%d messages from offset %d, error %v, want that of offset 5", n, dst[0].Offset, err)
	}
}
