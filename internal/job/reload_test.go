package job

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orffvar/forecaster/internal/config"
)

// A changed file is read once: when two polls agree on it, so that a file that is being written is not, or at a
// signal, after which nothing is new to the polls.
func TestAChangeIsReadOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	synctest.Test(t, func(t *testing.T) {
		l := served(t)
		var loads atomic.Int64
		load := func() (*config.Config, error) { loads.Add(1); return l.Cfg, nil }
		hup := make(chan os.Signal)
		stop := NewReloader([]string{path}, load, l).Watch(t.Context(), hup)
		time.Sleep(reloadEvery / 2) // between two polls
		after := func(polls int, want int64, what string) {
			t.Helper()
			time.Sleep(time.Duration(polls) * reloadEvery)
			synctest.Wait()
			if loads.Load() != want {
				t.Errorf("%s: read %d times, want %d", what, loads.Load(), want)
			}
		}
		after(3, 0, "no change")
		write("sec")
		after(1, 0, "half of the file")
		write("second")
		after(1, 0, "the whole file, for the first time")
		after(1, 1, "two polls agree")
		after(3, 1, "they agree again")
		write("third")
		hup <- os.Interrupt
		after(0, 2, "a signal")
		after(3, 2, "polls after a signal")
		write("fourth")
		hup <- os.Interrupt
		after(0, 3, "another signal")
		write("third")
		after(1, 3, "a change after a signal, for the first time")
		after(1, 4, "two polls agree on it")
		stop()
		write("fifth")
		after(3, 4, "it has stopped")
	})
}
