package job

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file/filestore"
)

// Work that cannot keep its state, or whose reader fails, ends with the error: a nil in its place would be read as a file
// that has been learnt.
func TestFailuresEndTheWork(t *testing.T) {
	dir := t.TempDir()
	input := rowsFile(t, filepath.Join(dir, "in.csv"), 0, 20)
	log := logtest.Discard()
	full := errors.New("full")
	follow := func(state string, answer error) error {
		cfg, err := loadConfig(t, "input.file.path="+input, "output.discard={}", "model.type=persistence")
		if err != nil {
			t.Fatal(err)
		}
		return Follow(t.Context(), cfg, state, log, func(*stream.Batch) error { return answer })
	}
	live := func(state string, taps ...stream.Sink) error {
		cfg, err := loadConfig(t, "input.file.path="+input, "output.discard={}", "model.type=persistence", "state.dir="+state)
		if err != nil {
			t.Fatal(err)
		}
		l := NewLive(cfg, log, "")
		l.Taps = append(l.Taps, taps...)
		return l.Run(t.Context())
	}
	if err := errors.Join(follow(filepath.Join(dir, "followed"), nil), live(filepath.Join(dir, "lived"))); err != nil {
		t.Fatal(err)
	}
	if err := follow("", full); !errors.Is(err, full) {
		t.Errorf("a reader of answers fails: %v", err)
	}
	if err := live(filepath.Join(dir, "tapped"), failing{full}); !errors.Is(err, full) {
		t.Errorf("an output fails: %v", err)
	}
	if err := follow(input, nil); err == nil {
		t.Error("the state of a program that asks is a file")
	}
	if err := live(input); err == nil {
		t.Error("the state of a job is a file")
	}
	if r, err := replay(t, input, filepath.Join(dir, "out.jsonl"), input); err == nil {
		t.Errorf("the state of a replay is a file: %+v", r)
	}
}

// A file that is damaged behind its first rows ends each command with the error: the rows before it are no whole file.
func TestDamagedInputEndsTheWork(t *testing.T) {
	b, err := devbroker.Start(1, []string{"in"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	path := filepath.Join(t.TempDir(), "in.csv.gz")
	var text, packed bytes.Buffer
	text.WriteString("time,x\n")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 20000 {
		fmt.Fprintf(&text, "%d,%g\n", 1_700_000_000+60*i, r.NormFloat64())
	}
	z := gzip.NewWriter(&packed)
	_, err = z.Write(text.Bytes())
	if err := errors.Join(err, z.Close(), os.WriteFile(path, packed.Bytes()[:packed.Len()/2], 0o600)); err != nil {
		t.Fatal(err)
	}
	load := func(sets ...string) *config.Config {
		cfg, err := loadConfig(t, append(sets, "output.discard={}", "model.type=persistence")...)
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	log, file := logtest.Discard(), load("input.file.path="+path)
	answers := 0
	follow := Follow(t.Context(), file, "", log, func(*stream.Batch) error { answers++; return nil })
	_, replayed := Replay(t.Context(), file, ReplayOptions{Log: log})
	p := Produce{Path: path, Log: log}
	_, produced := p.Run(t.Context(), load("input.kafka.brokers="+b.Addr(), "input.kafka.topics=in"))
	for what, err := range map[string]error{"follow": follow, "run": NewLive(file, log, "").Run(t.Context()), "replay": replayed, "produce": produced} {
		if err == nil || !strings.Contains(err.Error(), ": the compressed file is truncated") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if answers < 1000 {
		t.Errorf("%d answers before the damage", answers)
	}
}

// A reset removes the checkpoints that no job works with, and says how many it has removed before one that it may not.
func TestResetOfSomeCheckpoints(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	input := rowsFile(t, filepath.Join(dir, "in.csv"), 0, 20)
	if _, err := replay(t, input, filepath.Join(dir, "out.jsonl"), state); err != nil {
		t.Fatal(err)
	}
	_, err := replay(t, input, filepath.Join(dir, "other.jsonl"), state, "model.type=var1")
	if command := "forecaster checkpoint reset " + state + " --yes"; err == nil || !strings.Contains(err.Error(), command) {
		t.Errorf("checkpoints of another model: %v, without %s", err, command)
	}
	busy := filepath.Join(state, "metrics-0")
	if err := os.CopyFS(busy, os.DirFS(filepath.Join(state, ofFile))); err != nil {
		t.Fatal(err)
	}
	store, err := filestore.Open(busy, logtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	of := Directory(state)
	if n, err := of.Reset(t.Context()); n != 1 || err == nil || !strings.Contains(err.Error(), "metrics-0 is in use") {
		t.Errorf("one of two is in use: %d removed, %v", n, err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := of.Reset(t.Context()); n != 1 || err != nil {
		t.Errorf("the other one: %d removed, %v", n, err)
	}
	if n, err := of.Reset(t.Context()); n != 0 || err == nil || !strings.Contains(err.Error(), "no checkpoints below") {
		t.Errorf("none is left: %d removed, %v", n, err)
	}
	if _, err := replay(t, input, filepath.Join(dir, "third.jsonl"), state); err != nil {
		t.Fatal(err)
	}
	list, err := of.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(list[0].Path), os.MkdirAll(filepath.Join(list[0].Path, "full"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if n, err := of.Reset(t.Context()); n != 0 || err == nil || !strings.Contains(err.Error(), list[0].Path) {
		t.Errorf("a checkpoint that cannot be removed: %d removed, %v", n, err)
	}
}

// failing is an output that fails.
type failing struct{ err error }

func (f failing) Write(context.Context, *stream.Batch) error { return f.err }
func (failing) Close() error                                 { return nil }

// TestEnginesThatCannotBeMade: settings that nobody has checked end each command with the error of the engine.
func TestEnginesThatCannotBeMade(t *testing.T) {
	input := rowsFile(t, filepath.Join(t.TempDir(), "in.csv"), 0, 20)
	log := logtest.Discard()
	cfg, err := loadConfig(t, "input.file.path="+input, "output.discard={}", "model.type=persistence")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Pipeline.MaxGap = -1
	_, replayed := Replay(t.Context(), cfg, ReplayOptions{Log: log})
	for what, err := range map[string]error{
		"run": NewLive(cfg, log, "").Run(t.Context()), "replay": replayed,
		"follow": Follow(t.Context(), cfg, "", log, func(*stream.Batch) error { return nil }),
	} {
		if err == nil || !strings.Contains(err.Error(), "MaxGap must be >= 0, got -1") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
