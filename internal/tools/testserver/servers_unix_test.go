//go:build unix

package testserver

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tryout is what make up and make down work on.
type tryout struct {
	t             *testing.T
	home          string // with the installed servers, and the program
	kafka, influx int    // ports
}

// call runs servers.sh and returns its exit code and what it prints.
func (s *tryout) call(verb string) (code int, out string) {
	s.t.Helper()
	cmd := exec.Command("./servers.sh", verb)
	cmd.Env = append(os.Environ(), "FORECASTER_SERVICES="+s.home, "FORECASTER="+filepath.Join(s.home, "forecaster"), fmt.Sprint("KAFKA_PORT=", s.kafka), fmt.Sprint("INFLUXDB_PORT=", s.influx))
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

func (s *tryout) must(verb string) string {
	s.t.Helper()
	code, out := s.call(verb)
	if code != 0 {
		s.t.Fatalf("%s: %d, %s", verb, code, out)
	}
	return out
}

func (s *tryout) pidFile(server string) string {
	return filepath.Join(s.home, "servers", server+".pid")
}

// pid returns the process of a server; 0 = none.
func (s *tryout) pid(server string) int {
	text, err := os.ReadFile(s.pidFile(server))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
}

// forecasts runs the job that up names, until its forecasts are in the database.
func (s *tryout) forecasts() {
	s.t.Helper()
	config, err := filepath.Abs("../../../configs/forecaster.yaml")
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(s.home, "forecaster"), "run", "-c", config)
	var log bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.t.TempDir(), &log, &log
	cmd.Env = append(os.Environ(), fmt.Sprint("KAFKA_BROKERS=127.0.0.1:", s.kafka), fmt.Sprint("INFLUX_URL=http://127.0.0.1:", s.influx), "FORECASTER_SERVER_LISTEN=127.0.0.1:0")
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	found := ""
	for end := time.Now().Add(4 * time.Minute); !strings.Contains(found, `"macrodata"`) && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		found = s.ask("SELECT unemp, id FROM forecast LIMIT 1")
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(found, `"macrodata"`) {
		s.t.Fatalf("%v, %s\n%s", err, found, log.String())
	}
}

// ask returns what the database that up has made answers; "" when it does not.
func (s *tryout) ask(query string) string {
	resp, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/query?%s", s.influx, url.Values{"db": {"forecasts"}, "q": {query}}.Encode()))
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return ""
	}
	return string(text)
}

// answers reports whether the database that up has made is there.
func (s *tryout) answers() bool { return strings.HasPrefix(s.ask("SHOW MEASUREMENTS"), `{"results":`) }

func (s *tryout) begin(server string, pid int) {
	s.t.Helper()
	if err := os.WriteFile(s.pidFile(server), []byte(strconv.Itoa(pid)), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// TestUpAndDown: a port that is taken, two starts, a number of a process that is another one's by now, two ends.
func TestUpAndDown(t *testing.T) {
	s := &tryout{t: t, home: t.TempDir()}
	for _, server := range []string{"kafka-4.1.1", "influxdb-1.8.10"} {
		installed := filepath.Join(cacheDir(), server)
		if _, err := os.Stat(installed); err != nil {
			missing(t, "Kafka or InfluxDB", "kafka influxdb")
		}
		if err := os.Symlink(installed, filepath.Join(s.home, server)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "build", "-o", s.home, "../../../cmd/forecaster").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for s.kafka, s.influx = FreePort(t), FreePort(t); max(s.kafka-s.influx, s.influx-s.kafka) < 4; { // each takes a second one
		s.kafka = FreePort(t)
	}
	t.Cleanup(func() { s.call("down") })

	taken, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", s.influx))
	if err != nil {
		t.Fatal(err)
	}
	if code, out := s.call("up"); code != 1 || !strings.Contains(out, fmt.Sprintf("port %d is in use", s.influx)) || s.pid("influxdb") != 0 {
		t.Errorf("a port that is taken: %d, %s", code, out)
	}
	taken.Close()

	if out := s.must("up"); !strings.Contains(out, "forecaster run") || !s.answers() {
		t.Errorf("up says %s", out)
	}
	s.forecasts()
	processes := func() [3]int { return [3]int{s.pid("kafka"), s.pid("influxdb"), s.pid("producer")} }
	first := processes()
	s.must("up")
	if again := processes(); again != first || min(first[0], first[1], first[2]) == 0 {
		t.Errorf("a second start: processes %v, %v before", again, first)
	}

	// The database dies, and its number is that of this test, which must live.
	if err := syscall.Kill(first[1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for s.answers() {
		time.Sleep(10 * time.Millisecond)
	}
	s.begin("influxdb", os.Getpid())
	s.must("up")
	if pid := s.pid("influxdb"); pid == os.Getpid() || pid == first[1] || !s.answers() || s.pid("kafka") != first[0] {
		t.Errorf("processes %d and %d, %v before", s.pid("kafka"), pid, first)
	}

	if out := s.must("down"); !strings.Contains(out, "kafka has ended") || !strings.Contains(out, "influxdb has ended") || !strings.Contains(out, "producer has ended") || s.answers() || s.pid("kafka") != 0 {
		t.Errorf("down says %s", out)
	}
	if out := s.must("down"); out != "" {
		t.Errorf("a second end says %s", out)
	}
	s.begin("kafka", os.Getpid())
	if out := s.must("down"); out != "" || s.pid("kafka") != 0 {
		t.Errorf("down with the number of another process says %s", out)
	}
	if _, err := os.Stat(filepath.Join(s.home, "servers", "kafka")); err != nil {
		t.Errorf("the data are gone: %v", err)
	}
	if code, out := s.call("sideways"); code != 2 || !strings.HasPrefix(out, "usage") {
		t.Errorf("%d, %s", code, out)
	}
}
