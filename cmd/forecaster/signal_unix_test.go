//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignalsAreCaughtFirst: no other package of this module is initialised before the
// one that catches signals.
func TestSignalsAreCaughtFirst(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("counters of coverage give every package an initialisation")
	}
	cmd := exec.Command("forecaster", "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "init "), " ")
		switch {
		case strings.HasSuffix(name, "/internal/interrupt"):
			return
		case strings.Contains(name, "/forecaster/"):
			t.Fatalf("%s is initialised before internal/interrupt", name)
		}
	}
	t.Fatal("internal/interrupt is not initialised")
}

// TestStopWhileStarting: a process that is told to stop at any moment of its start ends
// with exit code 0, or by the signal before the program has begun.
func TestStopWhileStarting(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // a broker that never answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	broker := "input.kafka.brokers=" + silent.Addr().String()
	inputs := map[string][]string{
		"simulated": {"run", "--set", "input.simulated.rows=0", "--set", "input.simulated.speed=1", "--set", "output.discard={}", "--set", "model.type=var1"},
		"kafka": {"run", "--set", broker, "--set", "input.kafka.topics=t", "--set", "state.topic=s",
			"--set", "output.discard={}", "--set", "model.type=var1"},
		"merge": {"merge", "--to", "m", "--set", broker, "--set", "input.kafka.topics=t", "--set", "pipeline.interval=1s"},
	}
	for name, args := range inputs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for wait := time.Duration(0); wait < 60*time.Millisecond; wait += 6 * time.Millisecond {
				p := start(t, "forecaster", args...)
				time.Sleep(wait)
				p.stop(t, syscall.SIGTERM)
				status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
				if text := p.stderr.String(); status.ExitStatus() != exitDone && (!status.Signaled() || text != "") {
					t.Errorf("SIGTERM after %v: %v\n%s", wait, p.cmd.ProcessState, text)
				}
			}
		})
	}
}
