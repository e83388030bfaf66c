package testserver

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// InfluxDB is a running InfluxDB, 1.8 or 2.7. Version 1.8 accepts the write and query interface of 2.7 with the bucket
// database/autogen, any organisation, and a token that is empty or user:password.
type InfluxDB struct {
	URL   string // http://127.0.0.1:port
	Org   string
	Token string // token of an administrator; "" for 1.8

	tb      testing.TB
	log     string
	argv    []string
	process *process
	orgID   string // id of the organisation, 2.7 only
}

// StartInfluxDB starts InfluxDB 1.8 with settings of its section data, and stops it at the end of the test.
func StartInfluxDB(tb testing.TB, data ...string) *InfluxDB {
	tb.Helper()
	binary := filepath.Join(cacheDir(), "influxdb-1.8.10", "influxd")
	if _, err := os.Stat(binary); err != nil {
		if binary, err = exec.LookPath("influxd"); err != nil {
			missing(tb, "InfluxDB", "influxdb")
		}
	}
	ports := freePorts(tb, 2)
	dir := tb.TempDir()
	config := fmt.Sprintf(`reporting-disabled = true
bind-address = "127.0.0.1:%d"
[meta]
  dir = %q
[data]
  dir = %q
  wal-dir = %q
  query-log-enabled = false
%s
[http]
  bind-address = "127.0.0.1:%d"
  flux-enabled = true
  log-enabled = false
[monitor]
  store-enabled = false
`, ports[1], filepath.Join(dir, "meta"), filepath.Join(dir, "data"), filepath.Join(dir, "wal"), strings.Join(data, "\n"), ports[0])
	file := filepath.Join(dir, "influxdb.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		tb.Fatal(err)
	}
	return startInfluxDB(tb, dir, ports[0], binary, "-config", file)
}

// StartInfluxDB2 starts InfluxDB 2.7, and stops it at the end of the test. The test is skipped if the server is not
// installed, unless optional services are required, because a build needs Rust and many minutes.
func StartInfluxDB2(tb testing.TB) *InfluxDB {
	tb.Helper()
	binary := filepath.Join(cacheDir(), "influxdb-2.7.12", "influxd")
	if _, err := os.Stat(binary); err != nil {
		tb.Skip("InfluxDB 2.7 is not installed; run internal/tools/testserver/install.sh influxdb2 (needs Rust)")
	}
	dir, port := tb.TempDir(), freePorts(tb, 1)[0]
	s := startInfluxDB(tb, dir, port, binary, "--reporting-disabled",
		"--http-bind-address", fmt.Sprintf("127.0.0.1:%d", port), "--engine-path", filepath.Join(dir, "engine"),
		"--bolt-path", filepath.Join(dir, "bolt"), "--sqlite-path", filepath.Join(dir, "sqlite"))
	s.Org, s.Token = "tests", "token-of-the-tests"
	var setup struct{ Org struct{ ID string } }
	s.post("/api/v2/setup", map[string]any{
		"username": "tests", "password": "password", "org": s.Org, "bucket": "first", "token": s.Token,
	}, &setup)
	s.orgID = setup.Org.ID
	return s
}

func startInfluxDB(tb testing.TB, dir string, port int, argv ...string) *InfluxDB {
	tb.Helper()
	s := &InfluxDB{
		URL: fmt.Sprintf("http://127.0.0.1:%d", port), Org: "any",
		tb: tb, log: filepath.Join(dir, "influxd.log"), argv: argv,
	}
	tb.Cleanup(s.Stop)
	s.Start()
	return s
}

// post sends body as JSON to InfluxDB 2, and decodes the reply into answer.
func (s *InfluxDB) post(path string, body, answer any) {
	s.tb.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.tb.Fatal(err)
	}
	req, err := http.NewRequest("POST", s.URL+path, bytes.NewReader(text))
	if err != nil {
		s.tb.Fatal(err)
	}
	req.Header.Set("Authorization", "Token "+s.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	if err == nil {
		err = json.Unmarshal(text, answer)
	}
	if err != nil || resp.StatusCode != http.StatusCreated {
		s.tb.Fatalf("%s: %s %s %v", path, resp.Status, text, err)
	}
}

// Start starts the server again after Stop, with its old data.
func (s *InfluxDB) Start() {
	s.tb.Helper()
	p, err := startProcess(s.log, s.argv...)
	if err != nil {
		s.tb.Fatal(err)
	}
	s.process = p
	if err := p.waitForPing(s.URL); err != nil {
		s.tb.Fatal(err)
	}
}

// CompactSoon makes 1.8 write its memory to disk, and compact it, after one second without writes. Call it before the
// server starts.
func CompactSoon(t *testing.T) {
	for _, key := range []string{"CACHE_SNAPSHOT_WRITE_COLD_DURATION", "COMPACT_FULL_WRITE_COLD_DURATION"} {
		t.Setenv("INFLUXDB_DATA_"+key, "1s")
	}
}

// CompactedSize waits until 1.8 has one file per shard of a database, and returns the total size in bytes.
func (s *InfluxDB) CompactedSize(database string) (size int64) {
	s.tb.Helper()
	dir := filepath.Dir(s.log)
	sizes := func(kind, pattern string) (files map[string][]int64) {
		files = make(map[string][]int64)
		names, err := filepath.Glob(filepath.Join(dir, kind, database, "autogen", "*", pattern))
		if err != nil {
			s.tb.Fatal(err)
		}
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && info.Size() > 0 { // else the file was just replaced
				files[filepath.Dir(name)] = append(files[filepath.Dir(name)], info.Size())
			}
		}
		return files
	}
	for deadline := time.Now().Add(10 * time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
		shards := sizes("data", "*.tsm*")
		done := len(shards) > 0 && len(sizes("wal", "*.wal")) == 0
		size = 0
		for _, files := range shards {
			done = done && len(files) == 1
			size += files[0]
		}
		if done {
			return size
		}
	}
	s.tb.Fatalf("InfluxDB has not compacted the database %s", database)
	return 0
}

// ProcessorTime returns the processor time of the server so far.
func (s *InfluxDB) ProcessorTime() time.Duration { return s.process.processorTime() }

// Stop kills the server. Its data stays.
func (s *InfluxDB) Stop() {
	if s.process != nil {
		s.process.kill()
		s.process = nil
	}
}

// CreateDatabase creates a database and returns its bucket.
func (s *InfluxDB) CreateDatabase(name string) (bucket string) {
	s.tb.Helper()
	if s.orgID != "" {
		s.post("/api/v2/buckets", map[string]any{"orgID": s.orgID, "name": name}, new(any))
		return name
	}
	resp, err := http.PostForm(s.URL+"/query", url.Values{"q": {fmt.Sprintf("CREATE DATABASE %q", name)}})
	if err != nil {
		s.tb.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		s.tb.Fatalf("creating database %s: %s %s", name, resp.Status, body)
	}
	return name + "/autogen"
}

// Query runs a Flux query and returns its rows, which map a column to its text. The test fails if the query fails.
func (s *InfluxDB) Query(flux string) []map[string]string {
	s.tb.Helper()
	rows, err := s.TryQuery(flux)
	if err != nil {
		s.tb.Fatalf("%v\n%s", err, flux)
	}
	return rows
}

// TryQuery is like Query, but returns the error of a failed query.
func (s *InfluxDB) TryQuery(flux string) ([]map[string]string, error) {
	req, err := http.NewRequest("POST", s.URL+"/api/v2/query?org="+s.Org, strings.NewReader(flux))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/vnd.flux")
	req.Header.Set("Accept", "application/csv")
	if s.Token != "" {
		req.Header.Set("Authorization", "Token "+s.Token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("query: %s %s", resp.Status, body)
	}
	return parseTables(body)
}

// parseTables parses CSV without annotations: tables with a header, separated by empty lines. An error is a table with
// a column named error.
func parseTables(body []byte) ([]map[string]string, error) {
	var rows []map[string]string
	text := bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	for table := range bytes.SplitSeq(text, []byte("\n\n")) {
		r := csv.NewReader(bytes.NewReader(table))
		r.Comment = '#'
		r.FieldsPerRecord = -1
		header, err := r.Read()
		if errors.Is(err, io.EOF) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for {
			record, err := r.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, err
			}
			row := make(map[string]string, len(header))
			for i := range min(len(header), len(record)) {
				if header[i] != "" {
					row[header[i]] = record[i]
				}
			}
			if text := row["error"]; text != "" {
				return nil, fmt.Errorf("query: %s", text)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}
