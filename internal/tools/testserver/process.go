package testserver

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// leash is a shell script that runs a server as its child, and kills the server when its standard input closes. The
// input also closes when the test is killed, so no server survives its test.
const leash = `trap "" INT TERM
(trap - INT TERM; exec "$@") </dev/null >"$0" 2>&1 & p=$!
echo $p
cat >/dev/null
kill -9 $p 2>/dev/null; wait $p 2>/dev/null`

// process is a running server.
type process struct {
	log   string // file with its output
	pid   int
	stdin io.Closer
	cmd   *exec.Cmd
}

func startProcess(log string, argv ...string) (*process, error) {
	cmd := exec.Command("sh", append([]string{"-c", leash, log}, argv...)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{log: log, stdin: stdin, cmd: cmd}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err == nil {
		p.pid, err = strconv.Atoi(strings.TrimSpace(line))
	}
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("starting %s: %w", argv[0], err)
	}
	return p, nil
}

// kill kills the server with SIGKILL, and waits for its end.
func (p *process) kill() {
	p.stdin.Close()
	p.cmd.Wait()
}

// terminate asks the server to stop, and waits for its end.
func (p *process) terminate(timeout time.Duration) {
	askToStop(p.pid)
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if !p.alive() {
			break
		}
	}
	p.kill()
}

// alive reports whether the server runs. A dead server is a zombie, because the shell has not waited for it yet.
func (p *process) alive() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return exists(p.pid)
	}
	_, after, _ := bytes.Cut(stat, []byte(") "))
	return len(after) > 0 && after[0] != 'Z'
}

// processorTime returns the processor time in user and kernel mode; 0 on systems without /proc.
func (p *process) processorTime() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	var ticks int64
	for _, i := range []int{11, 12} { // indices of utime and stime, counted from the state
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100
}

// wait polls ready until it returns nil.
func (p *process) wait(timeout time.Duration, ready func() error) error {
	for end := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		err := ready()
		if err == nil {
			return nil
		}
		if !p.alive() || time.Now().After(end) {
			return fmt.Errorf("%s did not get ready: %w\n%s", filepath.Base(p.log), err, p.tail())
		}
	}
}

// waitForPing polls /ping of a server that answers HTTP.
func (p *process) waitForPing(url string) error {
	return p.wait(4*time.Minute, func() error {
		resp, err := http.Get(url + "/ping")
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}

// tail returns the end of the output of the server.
func (p *process) tail() string {
	b, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-4096):])
}

// FreePort returns a port without a listener, for a server that cannot listen on port 0. The port is outside the range
// that the system assigns to clients, so that no client takes it before the server starts.
func FreePort(tb testing.TB) int {
	tb.Helper()
	return freePorts(tb, 1)[0]
}

func freePorts(tb testing.TB, n int) (ports []int) {
	tb.Helper()
	const first, last = 10_000, 32_767 // Linux assigns ports from 32768 on to clients, other systems from 49152 on
	for tries := 0; len(ports) < n; tries++ {
		port := first + rand.IntN(last-first+1)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			defer l.Close() // deferred, so that the ports differ
			ports = append(ports, port)
		} else if tries > 1000 {
			tb.Fatal(err)
		}
	}
	return ports
}
