package job

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/sim"
)

// eachSecond is a source of samples one second apart.
func eachSecond(t *testing.T) (stream.Source, stream.Decoder) {
	t.Helper()
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
	return src, dec
}

// TestPacedSourceSeeks: a job with a speed goes on from its checkpoint, as one without does.
func TestPacedSourceSeeks(t *testing.T) {
	src, dec := eachSecond(t)
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

// A paced source delivers the first message at once, and each further one when it is due; a job that ends in
// between gets none.
func TestPacedSourceKeepsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		src, dec := eachSecond(t)
		s, dst := paced(src, dec, 4), make([]stream.Message, 3)
		begun := time.Now()
		for i := range 5 {
			n, err := s.Read(ctx, dst)
			if took, want := time.Since(begun), time.Duration(i)*time.Second/4; n != 1 || err != nil || dst[0].Offset != int64(i) || took != want {
				t.Errorf("%d messages from offset %d after %v, want offset %d after %v; error %v", n, dst[0].Offset, took, i, want, err)
			}
		}
		time.AfterFunc(time.Second/8, cancel)
		if n, err := s.Read(ctx, dst); n != 0 || !errors.Is(err, context.Canceled) || time.Since(begun) != 9*time.Second/8 {
			t.Errorf("at the end %d messages after %v, error %v", n, time.Since(begun), err)
		}
	})
}
