package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
)

// A program that asks row by row gets the forecasts of a replay, and goes on from the checkpoint of the last time.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	input, state := rowsFile(t, filepath.Join(dir, "in.csv"), 0, 40), filepath.Join(dir, "state")
	follow := func() (answers int, last []stream.Forecast) {
		t.Helper()
		cfg, err := loadConfig(t, "input.file.path="+input, "input.file.series=s", "output.discard={}", "model.type=persistence", "model.horizon=2")
		if err != nil {
			t.Fatal(err)
		}
		err = Follow(context.Background(), cfg, state, logtest.Discard(), func(b *stream.Batch) error {
			if len(b.Forecasts) > 0 {
				answers++
				last = nil
				for _, f := range b.Forecasts {
					f.Yhat = slices.Clone(f.Yhat)
					last = append(last, f)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return answers, last
	}
	check := func(last []stream.Forecast, i int) {
		t.Helper()
		if len(last) != 2 {
			t.Fatalf("%d forecasts", len(last))
		}
		for k, f := range last {
			if want := time.Unix(1.7e9+int64(60*(i+1+k)), 0).UnixNano(); f.Horizon != k+1 || f.Time != want || f.Yhat[0] != float64(i%5) {
				t.Errorf("forecast %+v after row %d", f, i)
			}
		}
	}
	n, last := follow()
	if n != 39 {
		t.Errorf("%d answers to 40 rows", n)
	}
	check(last, 39)
	rowsFile(t, input, 0, 44)
	if n, last = follow(); n != 4 {
		t.Errorf("%d answers to four new rows", n)
	}
	check(last, 43)

	// Without a place for its checkpoints the program ends: it would learn all again at its next start.
	rowsFile(t, input, 0, 50)
	cfg, err := loadConfig(t, "input.file.path="+input, "input.file.series=s", "output.discard={}", "model.type=persistence", "model.horizon=2")
	if err != nil {
		t.Fatal(err)
	}
	cfg.State.Interval = 0
	n = 0
	err = Follow(t.Context(), cfg, state, logtest.Discard(), func(*stream.Batch) error {
		n++
		return errors.Join(os.RemoveAll(state), os.WriteFile(state, nil, 0o600))
	})
	if err == nil || n != 1 {
		t.Errorf("%d answers without a directory for checkpoints, error %v", n, err)
	}
}

// A program that ends between two rows goes on after the last checkpoint: each state.interval has one, and so has an
// end in order, but not a failure. Lines of JSON, whose names are looked for, are no other than rows of CSV.
func TestFollowGoesOnAfterItsLastCheckpoint(t *testing.T) {
	const rows, last = 20, 7
	failure := errors.New("the reader is gone")
	for _, c := range []struct {
		what     string
		interval time.Duration
		err      error // of the reader of answer 7; nil: the program is interrupted
		again    int   // answers of the next run
	}{
		{"interrupted between checkpoints", time.Hour, nil, rows - last},
		{"interrupted with a checkpoint of each row", 0, nil, rows - last},
		{"failed before the first checkpoint", time.Hour, failure, rows},
		{"failed with a checkpoint of each row", 0, failure, rows - last + 1},
	} {
		dir := t.TempDir()
		input := rowsFile(t, filepath.Join(dir, "in.csv"), 0, rows)
		if c.interval > 0 {
			input = filepath.Join(dir, "in.jsonl")
			var b strings.Builder
			for i := range rows {
				fmt.Fprintf(&b, `{"time":%d,"values":{"x":%d}}`+"\n", 1_700_000_000+60*i, i%5)
			}
			if err := os.WriteFile(input, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cfg, err := loadConfig(t, "input.file.path="+input, "output.discard={}", "model.type=persistence", "pipeline.variables=x")
		if err != nil {
			t.Fatal(err)
		}
		cfg.State.Interval = c.interval
		follow := func(ctx context.Context, answer func(n int) error) (n int, err error) {
			err = Follow(ctx, cfg, filepath.Join(dir, "state"), logtest.Discard(), func(*stream.Batch) error {
				n++
				return answer(n)
			})
			return n, err
		}
		ctx, interrupt := context.WithCancel(t.Context())
		n, err := follow(ctx, func(n int) error {
			if n == last {
				interrupt()
				return c.err
			}
			return nil
		})
		if interrupt(); n != last || !errors.Is(err, c.err) {
			t.Errorf("%s: %d answers, error %v", c.what, n, err)
		}
		if n, err = follow(t.Context(), func(int) error { return nil }); n != c.again || err != nil {
			t.Errorf("%s: the next run has %d answers, want %d; error %v", c.what, n, c.again, err)
		}
	}
}
