//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// TestPanelQueries runs the queries of docs/howto/grafana-panel.md against a real InfluxDB with the points of a
// replay. Each must return rows.
func TestPanelQueries(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("InfluxDB takes some seconds to start")
	}
	db := testserver.StartInfluxDB(t)
	bucket := db.CreateDatabase("forecasts")

	// A series of a minute a row that ends now, with a jump shortly before.
	const rows = 300
	var csv strings.Builder
	csv.WriteString("time,load,rate\n")
	start := time.Now().Add(-rows * time.Minute).Truncate(time.Minute)
	for i := range rows {
		load := float64(i % 7)
		if i == rows-20 {
			load = 1000
		}
		fmt.Fprintf(&csv, "%s,%g,%d\n", start.Add(time.Duration(i)*time.Minute).UTC().Format(time.RFC3339), load, i%5)
	}
	file := filepath.Join(t.TempDir(), "host.csv")
	writeFile(t, file, []byte(csv.String()))
	mustCall(t, "replay", file, "--model", "var2", "--horizon", "10",
		"--set", "output.influxdb.url="+db.URL, "--set", "output.influxdb.bucket="+bucket, "--set", "evaluate.interval=50")

	blocks := regexp.MustCompile("(?ms)^```(flux|influxql)\n(.*?)^```$").FindAllStringSubmatch(string(readFile(t, "../../docs/howto/grafana-panel.md")), -1)
	if len(blocks) < 9 {
		t.Fatalf("found %d queries", len(blocks))
	}
	values := strings.NewReplacer("v.defaultBucket", `"`+bucket+`"`, "v.timeRangeStart", "-1d", "v.timeRangeStop", "1h")
	for _, b := range blocks {
		query := values.Replace(b[2])
		found := 0
		if b[1] == "influxql" {
			found = influxQL(t, db.URL, query)
		} else {
			found = len(db.Query(query))
		}
		if found == 0 {
			t.Errorf("no rows:\n%s", query)
		}
	}
	testRetention(t, db.URL)
}

// testRetention runs the queries of docs/howto/retention.md. Of a continuous one it runs
// also the part that makes the summary, over all of them.
func testRetention(t *testing.T, address string) {
	blocks := regexp.MustCompile("(?ms)^```influxql\n(.*?)^```$").FindAllStringSubmatch(string(readFile(t, "../../docs/howto/retention.md")), -1)
	if len(blocks) != 4 {
		t.Fatalf("found %d queries", len(blocks))
	}
	for _, b := range blocks {
		influxQL(t, address, b[1])
		m := regexp.MustCompile(`(?s)QUERY "(\w+)".*BEGIN(.*)END`).FindStringSubmatch(b[1])
		if m == nil {
			continue
		}
		where := " WHERE time > now() - 30d GROUP BY"
		if strings.Contains(m[2], "WHERE") {
			where = " AND time > now() - 30d GROUP BY"
		}
		influxQL(t, address, strings.Replace(m[2], " GROUP BY", where, 1))
		if rows := influxQL(t, address, `SELECT * FROM "`+m[1]+`"`); rows == 0 {
			t.Errorf("nothing in %s", m[1])
		}
	}
}

// influxQL returns the number of rows of a query.
func influxQL(t *testing.T, address, query string) (rows int) {
	t.Helper()
	resp, err := http.PostForm(address+"/query", url.Values{"db": {"forecasts"}, "q": {query}})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Results []struct {
			Error  string
			Series []struct{ Values [][]any }
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Results[0].Error != "" {
		t.Fatalf("%+v %v\n%s", answer, err, query)
	}
	for _, s := range answer.Results[0].Series {
		rows += len(s.Values)
	}
	return rows
}
