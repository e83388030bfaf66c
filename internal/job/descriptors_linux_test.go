package job

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// Whatever has ended has closed its files and connections. The collector, which would close files that nobody closes, is off.
func TestNothingStaysOpen(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	b, err := devbroker.Start(1, []string{"in"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }))
	defer server.Close()
	dir, log := t.TempDir(), logtest.Discard()
	input := rowsFile(t, filepath.Join(dir, "in.csv"), 0, 20)
	several := filepath.Join(dir, "*.csv")
	runs := 0
	load := func(sets ...string) *config.Config {
		t.Helper()
		cfg, err := loadConfig(t, sets...)
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	for name, run := range map[string]func() error{
		"replay": func() error {
			_, err := replay(t, input, filepath.Join(dir, fmt.Sprint("out", runs, ".jsonl")), filepath.Join(dir, fmt.Sprint("state", runs/2)))
			return err
		},
		"follow": func() error {
			return Follow(t.Context(), load("input.file.path="+input, "output.discard={}", "model.type=persistence"), "", log, func(*stream.Batch) error { return nil })
		},
		"job": func() error {
			return NewLive(load("input.file.path="+several, "output.discard={}", "model.type=persistence", "state.dir="+filepath.Join(dir, "lived")), log, "").Run(t.Context())
		},
		"produce": func() error {
			_, err := (&Produce{Path: input, Log: log}).Run(t.Context(), load("input.kafka.brokers="+b.Addr(), "input.kafka.topics=in", "output.discard={}"))
			return err
		},
		"open": func() error {
			src, err := OpenFile(t.Context(), load("input.file.path="+several, "output.discard={}", "pipeline.interval=1m"), log)
			if err != nil {
				return err
			}
			return src.Close()
		},
		"health": func() error {
			_, err := AskHealth(t.Context(), config.Server{Listen: strings.TrimPrefix(server.URL, "http://")}, "/")
			return err
		},
	} {
		before := 0
		for range 10 { // the first one opens what stays, such as the poller of the network; it may not have closed all of its connections
			if err := run(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if runs++; before == 0 {
				before = streamtest.OpenFiles(t)
			}
		}
		until(t, name+" has closed what it has opened", func() bool { return streamtest.OpenFiles(t) <= before })
	}
}
