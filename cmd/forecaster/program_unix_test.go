//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/logtest"
)

// program is a process of this program.
type program struct {
	cmd    *exec.Cmd
	stderr logtest.Buffer
	ended  chan struct{} // closed when it has ended
}

// start starts the program that TestMain knows by this name.
func start(t *testing.T, name string, args ...string) *program {
	t.Helper()
	p := &program{cmd: exec.Command(name, args...), ended: make(chan struct{})}
	p.cmd.Stderr = &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the exit code says it
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("%s %s:\n%s", name, strings.Join(args, " "), p.stderr.String())
		}
	})
	return p
}

// kill ends the process as kill -9 does.
func (p *program) kill() {
	_ = p.cmd.Process.Kill() // unless it has ended
	<-p.ended
}

// hasEnded reports whether the process has ended.
func (p *program) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// terminate sends SIGTERM, once the process has logged something, and returns the exit code.
func (p *program) terminate(t *testing.T) (code int) {
	t.Helper()
	if !poll(func() bool { return p.stderr.String() != "" }) {
		t.Fatal("the process logs nothing")
	}
	return p.stop(t, syscall.SIGTERM)
}

// stop sends a signal, waits for the end, and returns the exit code.
func (p *program) stop(t *testing.T, s syscall.Signal) (code int) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	return p.wait(t)
}

// wait waits for the end and returns the exit code.
func (p *program) wait(t *testing.T) (code int) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatalf("%s has not ended:\n%s", p.cmd.Path, p.stderr.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// startBroker starts a development broker in a process of its own.
func startBroker(t *testing.T, topics ...string) (addr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "address")
	start(t, "broker", append([]string{file}, topics...)...)
	if !poll(func() bool { _, err := os.Stat(file); return err == nil }) {
		t.Fatal("the broker did not start")
	}
	return string(readFile(t, file))
}
