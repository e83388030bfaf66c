//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/tools/logtest"
)

// mark is in every secret of these tests.
const secretMark = "s3cr3t"

// The token of a configuration is in the environment; t.Setenv would stop the tests beside.
func init() { os.Setenv("SECRET_OF_TESTS", "token-"+secretMark) }

// showsSecret reports where text has a secret.
func showsSecret(t *testing.T, what, text string) {
	t.Helper()
	if i := strings.Index(text, secretMark); i >= 0 {
		t.Errorf("%s shows a secret: ...%s", what, text[max(0, i-200):min(len(text), i+60)])
	}
}

// verbs returns the arguments of each command that does something, with a data file
// for those that want one.
func verbs(t *testing.T, dir string) [][]string {
	t.Helper()
	data := filepath.Join(dir, "data.csv")
	var rows strings.Builder
	rows.WriteString("time,a,b\n")
	for i := range 40 {
		fmt.Fprintf(&rows, "%d,%d,%d\n", i, i*7%11, i*5%13)
	}
	writeFile(t, data, []byte(rows.String()))
	var list [][]string
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if !c.Runnable() || c.Name() == "help" || strings.HasPrefix(c.CommandPath(), "forecaster completion") {
			return
		}
		args := strings.Fields(c.CommandPath())[1:]
		if strings.Contains(c.Use, "FILE") {
			args = append(args, data)
		}
		list = append(list, args)
	}
	walk((&app{}).root())
	if len(list) < 15 {
		t.Fatalf("%d commands: %v", len(list), list)
	}
	return list
}

// takesConfig reports whether the command of these arguments reads a configuration.
func takesConfig(args []string) bool {
	c, _, err := (&app{}).root().Find(args)
	return err == nil && c.Flags().Lookup("config") != nil
}

// callFor runs the program in this process, at most for a time.
func callFor(t *testing.T, limit time.Duration, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var out, errs logtest.Buffer
	code = execute(ctx, args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// TestFault62_SecretsAreNeverShown: every secret of a configuration that is right is
// searched for in what every command prints, in the log of a live job, in the answers
// of its HTTP server, in the files that it writes, and in its crash dump.
func TestFault62_SecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Token token-"+secretMark {
			t.Errorf("InfluxDB got the authorization %q", r.Header.Get("Authorization"))
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer db.Close()
	passwordFile := filepath.Join(t.TempDir(), "password")
	writeFile(t, passwordFile, []byte("sasl-"+secretMark+"\n"))
	withToken := []string{"FORECASTER_SERVER_TOKEN=server-" + secretMark, "forecaster"}
	output := fmt.Sprintf("influxdb: {url: %q, bucket: b, org: o, token: '${SECRET_OF_TESTS}'}", db.URL)
	live := fmt.Sprintf(`
input: {simulated: {rows: 0, interval: 10ms, speed: 1}}
model: {type: var1}
output: {%s}
state: {dir: %q}
server: {enabled: true, listen: "127.0.0.1:0"}
log: {level: debug}
`, output, filepath.Join(dir, "state"))
	kafka := fmt.Sprintf(`
input: {kafka: {brokers: ["127.0.0.1:1"], topics: [t], sasl_mechanism: PLAIN, sasl_username: u, sasl_password_file: %q}}
model: {type: var1}
output: {%s, kafka: {topic: f, brokers: ["127.0.0.1:1"], sasl_mechanism: PLAIN, sasl_username: u, sasl_password: "out-${SECRET_OF_TESTS}"}}
state: {topic: st}
log: {level: debug}
`, passwordFile, output)
	for name, text := range map[string]string{"live": live, "kafka": kafka} {
		file := filepath.Join(dir, name+".yaml")
		writeFile(t, file, []byte(text))
		mustCall(t, "lint", "-c", file)
		out, err := exec.Command("env", append(withToken, "run", "-c", file, "--dry-run")...).Output()
		if err != nil {
			t.Fatal(err)
		}
		dry := string(out)
		if !strings.Contains(dry, "[redacted]") {
			t.Errorf("the dry run has no secret:\n%s", dry)
		}
		showsSecret(t, "--dry-run", dry)
		var all sync.WaitGroup // most of them wait for servers that are not there
		for _, args := range append(verbs(t, dir), []string{"lint", "--connect"}) {
			if takesConfig(args) {
				args = append(args, "-c", file)
			}
			all.Go(func() {
				_, stdout, stderr := callFor(t, 2*time.Second, args...)
				showsSecret(t, name+": "+strings.Join(args, " "), stdout+stderr)
			})
		}
		all.Wait()
	}
	p := start(t, "env", append(withToken, "run", "-c", filepath.Join(dir, "live.yaml"), "--set", "log.format=json")...)
	var address string
	if !poll(func() bool {
		address = logField(p.stderr.String(), "serving", "address")
		return address != "" && strings.Contains(p.stderr.String(), "403")
	}) {
		t.Fatal("the job does not work")
	}
	for _, path := range []string{"/", "/version", "/metrics", "/healthz", "/readyz", "/api/v1/config", "/api/v1/series", "/api/v1/status",
		"/api/v1/forecast?series=simulated", "/api/v1/metrics?series=simulated", "/api/v1/influence?series=simulated", "/debug/pprof/cmdline", "/none"} {
		for _, token := range []string{"", "wrong", "server-" + secretMark} {
			resp, body := getWithToken(t, address+path, token)
			var header bytes.Buffer
			_ = resp.Header.Write(&header)
			showsSecret(t, path, header.String()+body)
			if path == "/api/v1/config" && (resp.StatusCode == http.StatusOK) != (token == "server-"+secretMark) {
				t.Errorf("%s with the token %q: %s", path, token, resp.Status)
			}
		}
	}
	p.stop(t, syscall.SIGQUIT)
	if !strings.Contains(p.stderr.String(), "goroutine 1") {
		t.Error("there is no crash dump")
	}
	showsSecret(t, "the log or the crash dump", p.stderr.String())

	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		showsSecret(t, path, string(readFile(t, path)))
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
