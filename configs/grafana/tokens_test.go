package grafana

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// write writes lines to a bucket, and returns the status.
func write(t *testing.T, address, org, bucket, token, lines string) int {
	t.Helper()
	req, err := http.NewRequest("POST", address+"/api/v2/write?"+url.Values{"org": {org}, "bucket": {bucket}}.Encode(), strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Token "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// TestTokensInfluxDB2: the tokens that docker-compose.yml makes can do what their owners need, and nothing else.
func TestTokensInfluxDB2(t *testing.T) {
	db := testserver.StartInfluxDB2(t)
	db.CreateDatabase("forecasts")
	db.CreateDatabase("other")
	dir := t.TempDir()
	for _, right := range []string{"write", "read"} {
		if err := os.Mkdir(filepath.Join(dir, right), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	admin := db.Token
	run := func(bucket, token string) (string, error) {
		cmd := exec.Command("bash", "../compose/tokens.sh", bucket)
		cmd.Env = append(os.Environ(), "TOKENS="+dir, "INFLUX_HOST="+db.URL, "INFLUX_ORG="+db.Org, "INFLUX_TOKEN="+token)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	tokens := func() (all [2]string) {
		for i, right := range []string{"write", "read"} {
			text, err := os.ReadFile(filepath.Join(dir, right, "token"))
			if err != nil {
				t.Fatal(err)
			}
			all[i] = string(text)
		}
		return all
	}
	if out, err := run("nowhere", admin); err == nil || !strings.Contains(out, "tokens.sh: ") {
		t.Errorf("another bucket: %v, %s", err, out)
	}
	if out, err := run("forecasts", "wrong"); err == nil || !strings.Contains(out, "refuses") {
		t.Errorf("a wrong token: %v, %s", err, out)
	}
	if out, err := run("forecasts", admin); err != nil || strings.Contains(out, admin) {
		t.Fatalf("%v: %s", err, out)
	}
	made := tokens()
	writer, reader := made[0], made[1]
	if writer == reader || writer == admin || reader == admin {
		t.Fatal("the tokens are the same")
	}
	if out, err := run("forecasts", admin); err != nil || tokens() != made {
		t.Errorf("a second run: %v, %s", err, out)
	}

	const query = `from(bucket: "%s") |> range(start: -1h)`
	for _, c := range []struct {
		name, token, bucket string
		writes, reads       bool
	}{
		{"writer", writer, "forecasts", true, false},
		{"reader", reader, "forecasts", false, true},
		{"writer", writer, "other", false, false},
		{"reader", reader, "other", false, false},
		{"administrator", admin, "forecasts", true, true},
		{"administrator", admin, "other", true, true},
	} {
		if status := write(t, db.URL, db.Org, c.bucket, c.token, "m v=1"); (status == http.StatusNoContent) != c.writes {
			t.Errorf("the %s writes to %s: %d", c.name, c.bucket, status)
		}
		as := *db
		as.Token = c.token
		if _, err := as.TryQuery(fmt.Sprintf(query, c.bucket)); (err == nil) != c.reads {
			t.Errorf("the %s reads %s: %v", c.name, c.bucket, err)
		}
	}
	for _, token := range made {
		if out, err := run("other", token); err == nil {
			t.Errorf("a token makes tokens: %s", out)
		}
	}
}
