//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignalsAreCaughtFirst: the package that catches signals is initialised before any other package of this
// module.
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

// TestFault86_HangupWhileStarting: SIGHUP at any moment of the start does not end the
// process, once its program has begun; for a command without a configuration it does.
func TestFault86_HangupWhileStarting(t *testing.T) {
	t.Parallel()
	begun := 0
	for wait := time.Duration(0); wait < 100*time.Millisecond; wait += 4 * time.Millisecond {
		p := start(t, "forecaster", "run", "--set", "input.simulated.rows=0", "--set", "input.simulated.speed=1", "--set", "output.discard={}", "--set", "model.type=var1")
		time.Sleep(wait)
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if !poll(func() bool { return strings.Contains(p.stderr.String(), "configuration reloaded") || p.hasEnded() }) {
			t.Errorf("SIGHUP after %v was lost", wait)
		}
		if p.hasEnded() {
			if p.stderr.String() != "" {
				t.Errorf("SIGHUP after %v: %v\n%s", wait, p.cmd.ProcessState, p.stderr.String())
			}
			continue // the program had not begun
		}
		begun++
		p.stop(t, syscall.SIGTERM)
	}
	if begun == 0 {
		t.Error("no signal came after the program had begun")
	}
	pipe := filepath.Join(t.TempDir(), "pipe.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, "forecaster", "replay", pipe) // nobody writes
	if !poll(func() bool { _ = p.cmd.Process.Signal(syscall.SIGHUP); return p.hasEnded() }) {
		t.Error("SIGHUP does not end a replay")
	}
}

// TestFault83_FrozenMember: a member that is frozen for longer than its session, while others are busy,
// joins again.
func TestFault83_FrozenMember(t *testing.T) {
	t.Parallel()
	broker, dir := startBroker(t, "metrics"), t.TempDir()
	var members []*program
	for range 2 {
		members = append(members, start(t, "forecaster", "run", "--set", "input.kafka.brokers="+broker, "--set", "input.kafka.topics=metrics",
			"--set", "input.kafka.session_timeout=1s", "--set", "output.discard={}", "--set", "state.topic=metrics-state",
			"--set", "state.interval=20ms", "--set", "model.type=var1", "--set", "log.format=json"))
	}
	start(t, "forecaster", "produce", writeSeries(t, dir), "--brokers", broker, "--topic", "metrics", "--rate", "500")
	working := func(p *program) int { return strings.Count(p.stderr.String(), `"working"`) }
	for i := range 4 {
		p := members[i%2]
		if !poll(func() bool { return working(p) > 0 || working(members[1-i%2]) > 0 }) {
			t.Fatal("nobody works")
		}
		before := working(members[0]) + working(members[1])
		_ = p.cmd.Process.Signal(syscall.SIGSTOP)
		time.Sleep(1500 * time.Millisecond)
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
		if !poll(func() bool { return working(members[0])+working(members[1]) > before || i > 0 }) {
			t.Fatal("nobody works after a freeze")
		}
	}
	for i, p := range members {
		if p.hasEnded() {
			t.Fatalf("member %d has ended with exit code %d", i, p.cmd.ProcessState.ExitCode())
		}
		if code := p.terminate(t); code != exitDone {
			t.Errorf("member %d: exit code %d", i, code)
		}
	}
}

// TestInterruptedProduce: a part of a file is not a file.
func TestInterruptedProduce(t *testing.T) {
	t.Parallel()
	broker := startBroker(t, "other")
	p := start(t, "forecaster", "produce", writeSeries(t, t.TempDir()), "--brokers", broker, "--topic", "new", "--rate", "1")
	if !poll(func() bool { // the topic is made before the file begins
		code, _, _ := call(t, "lint", "--connect", "--set", "input.kafka.brokers="+broker, "--set", "input.kafka.topics=new", "--set", "output.discard={}")
		return code == exitDone
	}) {
		t.Fatal(p.stderr.String())
	}
	if code := p.stop(t, syscall.SIGINT); code != exitFailed || !strings.Contains(p.stderr.String(), "forecaster: interrupted") {
		t.Errorf("exit code %d, %q", code, p.stderr.String())
	}
}
