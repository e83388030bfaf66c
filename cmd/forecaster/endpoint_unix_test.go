//go:build unix

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/stream/file/filestore"
)

// served returns the address of the HTTP server of a process.
func served(t *testing.T, p *program) (address string) {
	t.Helper()
	if !poll(func() bool { address = logField(p.stderr.String(), "serving", "address"); return address != "" }) {
		t.Fatal("the HTTP server is not there")
	}
	return address
}

// readiness returns the status and the text of /readyz.
func readiness(address string) (int, string) {
	resp, err := http.Get(address + "/readyz")
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(text)
}

// TestFault63_HalfOpenConnections: more connections than a process may have descriptors
// neither end it nor keep it from saving checkpoints.
func TestFault63_HalfOpenConnections(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, "sh", "-c", `ulimit -n 300; exec forecaster "$@"`, "sh", "run", "--set", "input.simulated.rows=0", "--set", "input.simulated.interval=10ms",
		"--set", "input.simulated.speed=1", "--set", "output.discard={}", "--set", "model.type=var1", "--set", "log.format=json",
		"--set", "state.dir="+dir, "--set", "state.interval=20ms", "--set", "server.enabled=true", "--set", "server.listen=127.0.0.1:0")
	address := served(t, p)
	for range 600 {
		c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	newest := func() string {
		paths, err := filestore.Checkpoints(filepath.Join(dir, "simulated"))
		if err != nil || len(paths) == 0 {
			return ""
		}
		return paths[0]
	}
	first := newest()
	alive := func() bool {
		select {
		case <-p.ended:
			return false
		default:
			return true
		}
	}
	for range 3 { // files of checkpoints and their changes
		if !poll(func() bool { return newest() != first || !alive() }) || !alive() {
			t.Fatal("the process has ended, or saves no checkpoints")
		}
		first = newest()
	}
	if !poll(func() bool { code, _ := readiness(address); return code == http.StatusOK }) {
		t.Error("the process does not answer when the connections have timed out")
	}
	if code := p.terminate(t); code != exitDone {
		t.Errorf("SIGTERM: exit code %d", code)
	}
}

// TestFault76_ProbesAreAnswered: clients that send nothing, or a byte now and then, or never stop
// reading, do not keep a liveness probe from its answer.
func TestFault76_ProbesAreAnswered(t *testing.T) {
	t.Parallel()
	p := start(t, "forecaster", "run", "--set", "input.simulated.rows=0", "--set", "input.simulated.interval=10ms", "--set", "input.simulated.speed=1",
		"--set", "output.discard={}", "--set", "model.type=var1", "--set", "log.format=json", "--set", "server.enabled=true", "--set", "server.listen=127.0.0.1:0")
	address := served(t, p)
	probe := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for _, c := range []struct {
		name, sends string
		clients     int
		slow        bool // one byte after the other
	}{
		{"idle", "", 140, false},
		{"slow headers", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Y: ", 300, true},
		{"idle after a request", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 300, false},
		{"streams", "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n", 1000, false},
	} {
		var open []net.Conn
		for range c.clients {
			conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, conn)
			sends := c.sends
			if c.slow {
				sends = sends[:1]
			}
			_, _ = conn.Write([]byte(sends)) // it may have made room for another already
		}
		for i := range 20 {
			for _, conn := range open {
				if c.slow && i+1 < len(c.sends) {
					_, _ = conn.Write([]byte(c.sends[i+1 : i+2]))
				}
			}
			resp, err := probe.Get(address + "/healthz")
			if err != nil {
				t.Fatalf("%s: probe %d: %v", c.name, i, err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s: probe %d: %s", c.name, i, resp.Status)
			}
		}
		for _, conn := range open {
			conn.Close()
		}
	}
	if code := p.terminate(t); code != exitDone {
		t.Errorf("SIGTERM: exit code %d", code)
	}
}

// TestFault67_NotReady: a topic that is gone, and outputs with a problem, are reasons not
// to be ready.
func TestFault67_NotReady(t *testing.T) {
	t.Parallel()
	broker, err := devbroker.Start(1, []string{"in", "out"})
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	var down atomic.Bool
	db := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer db.Close()
	p := start(t, "forecaster", "run", "--set", "input.kafka.brokers="+broker.Addr(), "--set", "input.kafka.topics=in",
		"--set", "input.json.series_field=series", "--set", "output.kafka.topic=out", "--set", "output.influxdb.url="+db.URL, "--set", "output.influxdb.bucket=b",
		"--set", "model.type=var1", "--set", "log.format=json", "--set", "server.enabled=true", "--set", "server.listen=127.0.0.1:0")
	address := served(t, p)
	n := 0
	more := func() {
		t.Helper()
		var messages []string
		for range 10 {
			n++
			messages = append(messages, fmt.Sprintf(`{"series": "s", "time": %d, "values": {"x": %d}}`, 1767225600+n, n%7))
		}
		publish(t, broker.Addr(), "in", messages)
	}
	expect := func(what string, code int, reason string) {
		t.Helper()
		var got int
		var text string
		if !poll(func() bool { got, text = readiness(address); return got == code && strings.Contains(text, reason) }) {
			t.Fatalf("%s: /readyz says %d %s, want %d with %q", what, got, text, code, reason)
		}
	}
	expect("at the start", http.StatusOK, "ok")
	more()
	down.Store(true)
	more()
	expect("InfluxDB fails", http.StatusServiceUnavailable, "InfluxDB: 503")
	down.Store(false)
	expect("InfluxDB works again", http.StatusOK, "ok")
	if err := broker.Cluster().DeleteTopic("out"); err != nil {
		t.Fatal(err)
	}
	more()
	expect("the topic of the output is gone", http.StatusServiceUnavailable, "topic out: ")
	if err := broker.Cluster().CreateTopic("out", 1, nil); err != nil {
		t.Fatal(err)
	}
	expect("the topic is there again", http.StatusOK, "ok")
	if err := broker.Cluster().DeleteTopic("in"); err != nil {
		t.Fatal(err)
	}
	expect("the topic of the input is gone", http.StatusServiceUnavailable, "in[0]: ")
}

// TestReplayServes: the page of a replay shows the scores after the end of the file and stays
// until the process is told to stop.
func TestReplayServes(t *testing.T) {
	t.Parallel()
	p := start(t, "forecaster", "replay", "../../eval/dataset/macrodata.csv", "--serve", "--set", "server.listen=127.0.0.1:0")
	if !poll(func() bool { return strings.Contains(p.stderr.String(), "the page stays at ") }) {
		t.Fatal("the replay does not end with its page")
	}
	_, address, _ := strings.Cut(p.stderr.String(), "live page: ")
	address, _, _ = strings.Cut(address, "\n")
	resp, err := http.Get(address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(text), `forecaster_records_total`) {
		t.Errorf("%v, %s", err, text)
	}
	if code, state := readiness(address); code != http.StatusServiceUnavailable || !strings.Contains(state, "the input has finished") {
		t.Errorf("/readyz after the end says %d %s", code, state)
	}
	if code := p.terminate(t); code != exitDone {
		t.Errorf("SIGTERM: exit code %d", code)
	}
}

// TestReplayServesTakenPort: the error names the setting of another address.
func TestReplayServesTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	code, _, stderr := call(t, "replay", "../../eval/dataset/macrodata.csv", "--serve", "--set", "server.listen="+l.Addr().String())
	if code == exitDone || !strings.Contains(stderr, "--set server.listen=127.0.0.1:PORT") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
