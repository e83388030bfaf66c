//go:build unix && !race

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestLintConnect: what a user sees of servers that are right, and that are not
// quite.
func TestLintConnect(t *testing.T) {
	t.Parallel()
	broker := startBroker(t, "metrics")
	db := httptest.NewServer(&influxDB{token: "good"})
	defer db.Close()
	lint := func(settings ...string) (int, string) {
		args := []string{"lint", "--connect", "--set", "input.kafka.brokers=" + broker, "--set", "input.kafka.topics=metrics",
			"--set", "output.influxdb.url=" + db.URL, "--set", "output.influxdb.bucket=b", "--set", "output.influxdb.token=good"}
		for _, s := range settings {
			args = append(args, "--set", s)
		}
		code, out, _ := call(t, args...)
		return code, out
	}
	for _, c := range []struct {
		set  string
		want []string
	}{
		{"", []string{"input.kafka: topic metrics has 1 partition", "output.influxdb: " + db.URL + " accepts writes to b", "\nok\n"}},
		{"input.kafka.topics=metric", []string{"input.kafka: the brokers answer, but there is no topic metric: create it (kafka-topics.sh --create --topic metric"}},
		{"input.kafka.join=other state.topic=s", []string{"input.kafka.join: the brokers answer, but there is no topic other: create it", "state.topic: topic s has not been looked at"}},
		{"input.kafka.brokers=127.0.0.1:1", []string{"input.kafka: ", "127.0.0.1:1"}},
		{"output.influxdb.token=bad", []string{"output.influxdb: ", "the token, the bucket or the request is not accepted"}},
		{"output.influxdb.url=http://127.0.0.1:1", []string{"output.influxdb: ", "127.0.0.1:1"}},
	} {
		var settings []string
		if c.set != "" {
			settings = strings.Fields(c.set)
		}
		code, out := lint(settings...)
		if (code == exitDone) != (c.set == "") {
			t.Errorf("%s: exit code %d", c.set, code)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is not in\n%s", c.set, want, out)
			}
		}
		if n := strings.Count(out, "there is no topic"); n > 1 {
			t.Errorf("%s: a topic is missing %d times in\n%s", c.set, n, out)
		}
		t.Logf("%s\n%s", c.set, out)
	}
}

// TestFault55_LintConnect: a URL behind which there is a redirect or a page is no place
// to write points to.
func TestFault55_LintConnect(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>welcome") }))
	defer page.Close()
	redirect := httptest.NewServer(http.RedirectHandler(page.URL+"/login?next=1", http.StatusMovedPermanently))
	defer redirect.Close()
	for url, want := range map[string]string{
		page.URL:     "200 OK: InfluxDB answers 204 No Content",
		redirect.URL: "301 Moved Permanently to " + page.URL + "/login: redirects are not followed",
	} {
		code, out, _ := call(t, "lint", "--connect", "--set", "input.simulated.rows=10",
			"--set", "output.influxdb.url="+url, "--set", "output.influxdb.bucket=b", "--set", "output.influxdb.token=t")
		if code != exitFailed || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, %q is not in\n%s", url, code, want, out)
		}
	}
}
