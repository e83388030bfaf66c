package job

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream/run"
)

// reloadEvery is the time between two polls of the configuration files. A change counts when two polls in a row agree, so
// that no half-written file is read.
const reloadEvery = 500 * time.Millisecond

// reloadCounts counts reloads by result.
type reloadCounts struct{ taken, refused atomic.Int64 }

// reloader reloads the configuration of a running job when its files change.
type reloader struct {
	files []string // paths of the configuration
	load  func() (*config.Config, error)
	job   *Live
}

// NewReloader returns a reloader. load reads the configuration files; changes are applied to job.
func NewReloader(files []string, load func() (*config.Config, error), job *Live) *reloader {
	return &reloader{files: files, load: load, job: job}
}

// Watch polls the files, and waits for a signal from hup, until ctx ends or stop is called.
func (r *reloader) Watch(ctx context.Context, hup <-chan os.Signal) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	seen := r.content()
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(reloadEvery)
		defer tick.Stop()
		before := seen
		for {
			select {
			case <-ctx.Done():
				return
			case <-hup:
				seen = r.content()
				before = seen
				r.reload()
			case <-tick.C:
				now := r.content()
				if now != seen && now == before {
					seen = now
					r.reload()
				}
				before = now
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// content returns a hash of the configuration files and the files of secrets that they name.
func (r *reloader) content() [sha256.Size]byte {
	h := sha256.New()
	for _, name := range slices.Concat(r.files, config.SecretFiles(r.job.current.Load())) {
		text, err := os.ReadFile(name) // #nosec G304 -- the user's configuration
		fmt.Fprintf(h, "%s %d %v\n", name, len(text), err != nil)
		_, _ = h.Write(text) // never fails
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// reload applies the settings that can change while the job runs. An invalid configuration changes nothing.
func (r *reloader) reload() {
	l := r.job
	next, err := r.load()
	if err != nil {
		text := strings.ReplaceAll(err.Error(), "\n", "; ")
		l.reloads.refused.Add(1)
		l.log.Error("configuration refused, the previous one stays in force", "error", text)
		l.change(run.Change{Note: "refused, the previous configuration stays in force: " + text})
		return
	}
	merged, changed, restart := config.Reload(l.current.Load(), next)
	l.reloads.taken.Add(1)
	if len(changed)+len(restart) == 0 {
		l.log.Info("configuration reloaded without a change")
		return
	}
	l.current.Store(merged)
	if l.Level != nil {
		SetLevel(l.Level, merged.Log)
	}
	var notes []string
	if len(changed) > 0 {
		notes = append(notes, "changed: "+strings.Join(changed, ", "))
	}
	if len(restart) > 0 {
		notes = append(notes, "needs a restart: "+strings.Join(restart, ", "))
		l.log.Warn("configuration reloaded", "changed", changed, "needs_restart", restart)
	} else {
		l.log.Info("configuration reloaded", "changed", changed)
	}
	l.change(run.Change{
		CheckpointEvery: merged.State.Interval, CheckpointRecords: int64(merged.State.Records),
		MetricsEvery: merged.Evaluate.Interval, Note: strings.Join(notes, "; "),
	})
}

// change applies c to all partitions, and the current configuration to their outputs.
func (l *Live) change(c run.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.working {
		p.out.Reload(l.current.Load())
		p.runner.Change(c)
	}
}

// SetLevel sets the level of the log to the level in c.
func SetLevel(v *slog.LevelVar, c config.Log) {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.Level)) // the configuration was validated
	v.Set(level)
}
