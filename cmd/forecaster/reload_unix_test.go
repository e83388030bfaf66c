//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// influxDB answers writes like InfluxDB 2, but only to the token that is valid now.
type influxDB struct {
	mu     sync.Mutex
	token  string
	events []string
}

func (i *influxDB) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.Header.Get("Authorization") != "Token "+i.token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	for line := range strings.Lines(string(body)) {
		if strings.HasPrefix(line, "forecast_events,id=_all,kind=reload") {
			i.events = append(i.events, line)
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func (i *influxDB) setToken(token string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.token = token
}

// event reports whether there is an event that has all of the texts.
func (i *influxDB) event(texts ...string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, e := range i.events {
		has := strings.HasPrefix(e, "forecast_events,id=_all,kind=reload text=")
		for _, text := range texts {
			has = has && strings.Contains(e, text)
		}
		if has {
			return true
		}
	}
	return false
}

// TestReload changes the configuration file of a running process.
func TestReload(t *testing.T) {
	t.Parallel()
	db := &influxDB{token: "first"}
	server := httptest.NewServer(db)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "forecaster.yaml")
	write := func(token, rest string) {
		writeFile(t, file, fmt.Appendf(nil, `
input: {simulated: {rows: 0, interval: 10ms, speed: 1}}
output: {influxdb: {url: %q, token: %s, org: o, bucket: b}}
server: {enabled: true, listen: "127.0.0.1:0"}
%s
`, server.URL, token, rest))
	}
	write("first", "model: {type: var1}")
	p := start(t, "forecaster", "run", "-c", file, "--set", "log.format=json")
	logged := func(texts ...string) bool {
		return poll(func() bool {
			for line := range strings.Lines(p.stderr.String()) {
				has := true
				for _, text := range texts {
					has = has && strings.Contains(line, text)
				}
				if has {
					return true
				}
			}
			return false
		})
	}
	must := func(what string, ok bool) {
		t.Helper()
		if !ok {
			t.Fatal(what)
		}
	}
	must("the process does not work", logged(`"working"`))

	// A changed file is noticed, and an event says so.
	write("first", "model: {type: var1}\nlog: {level: debug}\nevaluate: {interval: 10}")
	must("the file was not read again", logged(`"configuration reloaded"`, `["evaluate.interval","log.level"]`))
	must("no event", poll(func() bool { return db.event("changed: evaluate.interval, log.level") }))

	// What needs a restart is named.
	write("first", "model: {type: var2}\nlog: {level: debug}\nevaluate: {interval: 20}")
	must("what needs a restart is not named", logged(`"level":"WARN"`, `"changed":["evaluate.interval"]`, `"needs_restart":["model.type"]`))
	must("no event", poll(func() bool { return db.event("changed: evaluate.interval", "needs a restart: model.type") }))

	// A mistake changes nothing.
	write("first", "model: {typ: var2}")
	must("a mistake was not reported", logged(`"level":"ERROR"`, "the previous one stays in force", `did you mean \"type\"?`))
	must("no event", poll(func() bool { return db.event("refused", "unknown key") }))

	// SIGHUP reads the file in any case.
	write("first", "model: {type: var1}\nlog: {level: debug}\nevaluate: {interval: 20}")
	must("the file was not read again", logged("without a change"))
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	must("SIGHUP did nothing", poll(func() bool { return strings.Count(p.stderr.String(), "without a change") == 2 }))

	// A token is replaced while the process works.
	db.setToken("second")
	must("the old token is still accepted", logged("InfluxDB accepts no points"))
	write("second", "model: {type: var1}\nlog: {level: debug}\nevaluate: {interval: 20}")
	must("no event with the new token", poll(func() bool { return db.event("changed: output.influxdb.token") }))
	if strings.Contains(p.stderr.String(), "second") {
		t.Error("the log has the token")
	}
	if code := p.terminate(t); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}
