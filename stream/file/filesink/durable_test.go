package filesink

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// syncedFile knows how many of its bytes are durable.
type syncedFile struct {
	*os.File
	written, durable int
	fails            bool
}

func (f *syncedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.written += n
	return n, err
}

var errDisk = errors.New("the disk does not answer")

func (f *syncedFile) Sync() error {
	if f.fails {
		return errDisk
	}
	f.durable = f.written
	return f.File.Sync()
}

func (f *syncedFile) Truncate(size int64) error {
	if f.fails {
		return errDisk
	}
	return f.File.Truncate(size)
}

func watch(t *testing.T, o *output) *syncedFile {
	t.Helper()
	f := &syncedFile{File: o.file.(*os.File)}
	o.file = f
	t.Cleanup(func() { o.file = f.File; o.Close() })
	return f
}

// A refused record is on the disk when WriteDeadLetters returns: the checkpoint that follows
// reports that it is settled.
func TestDeadLettersAreDurable(t *testing.T) {
	d, err := OpenDeadLetters(filepath.Join(t.TempDir(), "dead.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	f := watch(t, d.output)
	letters := []stream.DeadLetter{{Message: stream.Message{Value: []byte("x")}, Error: refuse.Error{Reason: refuse.Malformed}}}
	for range 3 {
		if err := d.WriteDeadLetters(context.Background(), letters); err != nil {
			t.Fatal(err)
		}
		if f.written == 0 || f.durable != f.written {
			t.Errorf("%d bytes of %d are durable", f.durable, f.written)
		}
	}
	f.fails = true
	if err := d.WriteDeadLetters(context.Background(), letters); !errors.Is(err, errDisk) {
		t.Errorf("got %v when the letter is not on the disk", err)
	}
}

// Forecasts are on the disk when the batch that a checkpoint follows was written: the
// checkpoint has the length of the file.
func TestForecastsAreDurableBeforeACheckpoint(t *testing.T) {
	s, err := Create(filepath.Join(t.TempDir(), "out.csv"), CSV{})
	if err != nil {
		t.Fatal(err)
	}
	f := watch(t, s.output)
	series := &stream.Series{Name: "s", Variables: []string{"a"}}
	batch := &stream.Batch{Forecasts: []stream.Forecast{{Series: series, Horizon: 1, Yhat: []float64{1}}}}
	if err := s.Write(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	batch.Checkpoint = true
	if err := s.Write(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	if f.written == 0 || f.durable != f.written {
		t.Errorf("%d bytes of %d are durable", f.durable, f.written)
	}
	f.fails = true
	if err := s.Write(context.Background(), batch); !errors.Is(err, errDisk) {
		t.Errorf("got %v when the forecasts are not on the disk", err)
	}
	if err := s.output.Resume(s.output.Positions()); !errors.Is(err, errDisk) {
		t.Errorf("got %v when the file is not cut", err)
	}
	if err := s.Close(); !errors.Is(err, errDisk) {
		t.Errorf("got %v when the last forecasts are not on the disk", err)
	}
}
