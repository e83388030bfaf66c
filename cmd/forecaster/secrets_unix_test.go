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
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// mark is in every secret of these tests.
const secretMark = "s3cr3t"

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

// TestFault62_RefusedSecretsAreNotEchoed: settings that hold a secret where it does not
// belong are refused by every command without repeating them.
func TestFault62_RefusedSecretsAreNotEchoed(t *testing.T) {
	const kafka = "input: {kafka: {brokers: [%s], topics: [t]}}\noutput: {discard: {}}\n"
	const influx = "input: {simulated: {rows: 10}}\noutput: {influxdb: {url: '%s', bucket: b}}\n"
	secret := func(format, value string) string { return fmt.Sprintf(format, value) }
	dir := t.TempDir()
	files := map[string]string{
		"user info":          secret(influx, "http://admin:"+secretMark+"@localhost:8086"),
		"user only":          secret(influx, "http://"+secretMark+"@localhost:8086"),
		"query":              secret(influx, "http://localhost:8086?u=admin&p="+secretMark),
		"query of a path":    secret(influx, "http://localhost:8086/write?p="+secretMark),
		"empty host":         secret(influx, "http://admin:"+secretMark+"@"),
		"fragment":           secret(influx, "http://localhost:8086#"+secretMark),
		"bad escape":         secret(influx, "http://admin:%zz"+secretMark+"@localhost:8086"),
		"bad port":           secret(influx, "http://admin:"+secretMark+"@localhost:80x"),
		"other scheme":       secret(influx, "influx://admin:"+secretMark+"@localhost:8086"),
		"no scheme":          secret(influx, "admin:"+secretMark+"@localhost:8086"),
		"space":              secret(influx, "http://admin:"+secretMark+" @localhost:8086"),
		"sasl URL":           secret(kafka, "'sasl://user:"+secretMark+"@localhost:9092'"),
		"broker with user":   secret(kafka, "'user:"+secretMark+"@localhost:9092'"),
		"broker with token":  secret(kafka, "'"+secretMark+"@localhost:9092'"),
		"broker with query":  secret(kafka, "'localhost:9092?password="+secretMark+"'"),
		"second broker":      secret(kafka, "'localhost:9092', 'sasl://user:"+secretMark+"@localhost:9092'"),
		"output broker":      "input: {simulated: {rows: 10}}\noutput: {kafka: {brokers: ['u:" + secretMark + "@b:9092'], topic: t}}\n",
		"no space":           "output:\n  influxdb:\n    token:" + secretMark + "\n    url: http://localhost:8086\n",
		"open quote":         "output:\n  influxdb:\n    token: \"" + secretMark + "\n    url: http://localhost:8086\n",
		"open single quote":  "output:\n  influxdb:\n    token: '" + secretMark + "\n    url: http://localhost:8086\n",
		"colon":              "output:\n  influxdb:\n    token: admin: " + secretMark + "\n",
		"tab":                "output:\n\tinfluxdb:\n\t\ttoken: " + secretMark + "\n",
		"percent":            "output:\n  influxdb:\n    token: %" + secretMark + "\n",
		"at":                 "output:\n  influxdb:\n    token: @" + secretMark + "\n",
		"backtick":           "output:\n  influxdb:\n    token: `" + secretMark + "\n",
		"alias":              "output:\n  influxdb:\n    token: *" + secretMark + "\n",
		"tag":                "output:\n  influxdb:\n    token: !" + secretMark + " x\n",
		"anchor":             "output:\n  influxdb:\n    token: &" + secretMark + "\n    url: *none\n",
		"list":               "output:\n  influxdb:\n    token: [" + secretMark + "]\n",
		"mapping":            "output:\n  influxdb:\n    token: {" + secretMark + ": 1}\n",
		"open list":          "output:\n  influxdb:\n    token: [" + secretMark + "\n",
		"open mapping":       "output:\n  influxdb: {token: " + secretMark + ", url: 'http://x\n",
		"indentation":        "output:\n  influxdb:\n    url: http://localhost:8086\n   token: " + secretMark + "\n",
		"block scalar":       "output:\n  influxdb:\n    token: |x" + secretMark + "\n      a\n",
		"default":            "output:\n  influxdb:\n    token: ${" + "a b:" + secretMark + "}\n",
		"value as a key":     "output:\n  influxdb:\n    " + secretMark + "\n",
		"value beside a key": "output:\n  influxdb: " + secretMark + "\n",
		"twice":              "output:\n  influxdb:\n    token: " + secretMark + "\n    token: " + secretMark + "2\n",
	}
	all := verbs(t, dir)
	for name, text := range files {
		file := filepath.Join(dir, "c.yaml")
		writeFile(t, file, []byte(text))
		refused := false
		for _, args := range all {
			if !takesConfig(args) {
				continue
			}
			for _, extra := range [][]string{nil, {"--output", "json"}} {
				if extra != nil && args[0] != "lint" {
					continue
				}
				code, stdout, stderr := callFor(t, time.Minute, append(append([]string{}, args...), append(extra, "-c", file)...)...)
				showsSecret(t, fmt.Sprintf("%s: %v", name, args), stdout+stderr)
				refused = refused || args[0] == "lint" && code != exitDone
			}
		}
		if !refused {
			t.Errorf("%s: lint accepts\n%s", name, text)
		}
	}
	for _, set := range []string{"output.influxdb.token:" + secretMark, "output.influxdb.tokn=" + secretMark, "output.influxdb.token.x=" + secretMark,
		"output.influxdb.url=http://u:" + secretMark + "@h", "output.influxdb=" + secretMark, "input.kafka.brokers=" + secretMark + "@b:1,sasl://" + secretMark} {
		code, stdout, stderr := call(t, "lint", "--set", set)
		showsSecret(t, "--set "+set, stdout+stderr)
		if code == exitDone {
			t.Errorf("--set %s is accepted", set)
		}
	}
}

// callFor runs the program in this process, at most for a time.
func callFor(t *testing.T, limit time.Duration, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var out, errs safeBuffer
	code = execute(ctx, args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// TestFault62_SecretsAreNeverShown: every secret of a configuration that is right is
// searched for in what every command prints, in the log of a live job, in the answers
// of its HTTP server, in the files that it writes, and in its crash dump.
func TestFault62_SecretsAreNeverShown(t *testing.T) {
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
	t.Setenv("TOKEN", "token-"+secretMark)
	t.Setenv("FORECASTER_SERVER_TOKEN", "server-"+secretMark)
	output := fmt.Sprintf("influxdb: {url: %q, bucket: b, org: o, token: '${TOKEN}'}", db.URL)
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
output: {%s, kafka: {topic: f, brokers: ["127.0.0.1:1"], sasl_mechanism: PLAIN, sasl_username: u, sasl_password: "out-${TOKEN}"}}
state: {topic: st}
log: {level: debug}
`, passwordFile, output)
	for name, text := range map[string]string{"live": live, "kafka": kafka} {
		file := filepath.Join(dir, name+".yaml")
		writeFile(t, file, []byte(text))
		mustCall(t, "lint", "-c", file)
		dry := mustCall(t, "run", "-c", file, "--dry-run")
		if !strings.Contains(dry, "[redacted]") {
			t.Errorf("the dry run has no secret:\n%s", dry)
		}
		showsSecret(t, "--dry-run", dry)
		for _, args := range append(verbs(t, dir), []string{"lint", "--connect"}) {
			if takesConfig(args) {
				args = append(args, "-c", file)
			}
			_, stdout, stderr := callFor(t, 2*time.Second, args...)
			showsSecret(t, name+": "+strings.Join(args, " "), stdout+stderr)
		}
	}
	p := start(t, "forecaster", "run", "-c", filepath.Join(dir, "live.yaml"), "--set", "log.format=json")
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
			req, err := http.NewRequest(http.MethodGet, address+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if token != "" {
				req.Header.Set("Authorization", "Bearer "+token)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			var answer bytes.Buffer
			_ = resp.Header.Write(&answer)
			_, _ = answer.ReadFrom(resp.Body)
			resp.Body.Close()
			showsSecret(t, path, answer.String())
			if path == "/api/v1/config" && (resp.StatusCode == http.StatusOK) != (token == "server-"+secretMark) {
				t.Errorf("%s with the token %q: %s", path, token, resp.Status)
			}
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	<-p.ended
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
