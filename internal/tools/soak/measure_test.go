//go:build unix

package soak

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

var (
	measure = flag.Bool("measure", false, "run TestHandOver and TestMemoryDuringAnOutage, which print what they measure")
	backlog = flag.Int("backlog", 200, "samples of each series that TestMemoryDuringAnOutage sends at once")
)

// fill writes samples of n series to the topic, from the at-th on.
func (w *world) fill(n, at, samples int) {
	p, err := kafkasink.NewProducer(cluster.Connection{Brokers: []string{w.toK.Addr}}, topic, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		w.t.Fatal(err)
	}
	defer p.Close()
	for i := at; i < at+samples; i++ {
		batch := make([]stream.Message, n)
		for k := range batch {
			name := fmt.Sprintf("s%05d", k)
			batch[k] = stream.Message{Key: []byte(name), Value: fmt.Appendf(nil, `{"series": %q, "time": %d, "values": {"a": %d, "b": %d}}`,
				name, 1_600_000_000+i, (i*k)%17, (i+k)%5)}
		}
		if err := p.Send(context.Background(), batch); err != nil {
			w.t.Fatal(err)
		}
	}
}

// stopOthers leaves one process.
func (w *world) stopOthers() {
	for i := 1; i < processes; i++ {
		w.signal(i, syscall.SIGTERM)
		w.procs[i].Wait()
		w.procs[i] = nil
	}
}

// session leaves time for a hand-over on a machine that has other things to do.
const session = 15 * time.Second

func newWorld(t *testing.T) *world {
	if !*measure {
		t.Skip("it takes minutes: go test ./internal/tools/soak -v -run 'HandOver|Memory' -measure")
	}
	w := &world{t: t, dir: t.TempDir(), counts: make(map[string]int), session: session, output: outputs[0]}
	w.start()
	t.Cleanup(w.end)
	return w
}

// TestHandOver measures how long the state of 10,000 series is on its way: from one
// process being told to stop until another has processed what came meanwhile.
//
//	go test ./internal/tools/soak -v -timeout 0 -run HandOver -measure
func TestHandOver(t *testing.T) {
	w := newWorld(t)
	w.stopOthers()
	w.fill(10_000, 0, 5)
	w.waitUntilCommitted()
	w.launch(1)
	time.Sleep(8 * time.Second) // it has joined and taken over its half
	w.fill(10_000, 5, 1)
	w.waitUntilCommitted()

	began := time.Now()
	w.signal(0, syscall.SIGTERM)
	if err := w.procs[0].Wait(); err != nil {
		t.Error(err)
	}
	w.procs[0] = nil
	left := time.Since(began)
	w.fill(10_000, 6, 1)
	w.waitUntilCommitted()
	t.Logf("hand-over in order: the old owner left after %v, the new one had processed 10,000 samples after %v", left, time.Since(began))

	began = time.Now()
	w.signal(1, syscall.SIGKILL)
	w.procs[1].Wait()
	w.launch(1)
	w.fill(10_000, 7, 1)
	w.waitUntilCommitted()
	t.Logf("after kill -9 and a start: 10,000 samples processed after %v, of which up to %v wait for the session of the dead member", time.Since(began), session)
}

// TestMemoryDuringAnOutage measures the peak of the memory of a process while InfluxDB
// refuses connections, messages go on coming, and when it catches up.
//
//	go test ./internal/tools/soak -v -timeout 0 -run Memory -measure -duration 10m
func TestMemoryDuringAnOutage(t *testing.T) {
	const (
		limit  = 256 << 20
		series = 1000
		each   = 2 * time.Second // between two samples of a series
	)
	t.Setenv("GOMEMLIMIT", fmt.Sprint(limit))
	w := newWorld(t)
	w.stopOthers()
	w.fill(series, 0, 20)
	w.waitUntilCommitted()
	calm := w.peak(0)
	w.toI.SetRefuse(true)
	w.toI.Reset()
	n := 20
	w.fill(series, n, *backlog) // the queues are full at once
	n += *backlog
	for began := time.Now(); time.Since(began) < max(*duration, 20*time.Second); time.Sleep(each) {
		w.fill(series, n, 1)
		n++
	}
	during := w.peak(0)
	w.toI.SetRefuse(false)
	began := time.Now()
	w.waitUntilCommitted()
	after := w.peak(0)
	t.Logf("peak of resident memory: %d MiB before, %d MiB during the outage, %d MiB after catching up with %d samples in %v; GOMEMLIMIT is %d MiB",
		calm>>20, during>>20, after>>20, (n-20)*series, time.Since(began).Round(time.Second), limit>>20)
	if after > limit*12/10 {
		t.Error("more than 1.2 times the limit")
	}
}

// peak returns the largest resident memory of a process, which Linux tells.
func (w *world) peak(i int) int {
	if runtime.GOOS != "linux" {
		w.t.Skip("only Linux tells the largest memory of a process")
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.procs[i].Process.Pid))
	if err != nil {
		w.t.Fatalf("process %d: %v", i, err) // it has died
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			kib, err := strconv.Atoi(f[1])
			if err != nil {
				w.t.Fatal(err)
			}
			return kib << 10
		}
	}
	w.t.Fatalf("process %d has died", i)
	return 0
}
