package file_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// people has files as common programs write them; testdata/people/make.py makes them. Each has
// the same 24 hours of two variables unless the row says otherwise.
var people = []struct {
	name   string
	config file.SourceConfig
	want   string // assumptions, or what the error says
	fails  bool
	series string        // names, when not the one of the file
	rows   int           // 0 = 24
	step   time.Duration // 0 = an hour
	sum    float64
}{
	{name: "pandas-index.csv"},
	{name: "pandas-index.csv", config: file.SourceConfig{Sort: true, DropEqual: true}}, // without equal rows
	{name: "pandas-unnamed-index.csv"},
	{name: "pandas-range-index.csv", want: "time in column time, column without a name left out"},
	{name: "pandas-tab.tsv"},
	{name: "pandas-newest-first.csv", want: "newest line first: sorted"},
	{name: "pandas-zone.csv"},
	{name: "pandas-nan.csv", sum: peopleSum - 42.5 - 1000.5},
	{name: "pandas-text-column.csv", want: "column host left out", sum: peopleSum + 24},
	{name: "pandas-two-hosts.csv", want: "a series for each host", series: "web1 web2", rows: 48, sum: 2 * peopleSum},
	{name: "pandas-index.parquet", want: "time in column time", sum: peopleSum - 40 - 1000.5},
	{name: "pandas-lines.jsonl"},
	{name: "pandas-epoch.jsonl"},
	{name: "pandas-records.json", fails: true, want: "jq -c '.[]'"},
	{name: "nixtla.csv", want: "time in column ds, a series for each unique_id", series: "cpu mem", rows: 48},
	{name: "excel-german.csv", want: "separator ;, decimal comma"},
	{name: "excel-german-thousands.csv", want: "separator ;, decimal comma, points between thousands"},
	{name: "excel-german-whole.csv", want: "separator ;, points between thousands (1.000 is 1000)", sum: 75_000},
	{name: "excel-tab-whole.tsv", want: "commas between thousands", sum: 75_000},
	{name: "excel-german-dates.csv", fails: true, want: "CSVConfig.DateOrder=dmy"},
	{name: "excel-german-dates.csv", config: file.SourceConfig{CSV: format.CSVConfig{DateOrder: timestamp.DayFirst}}, want: "separator ;, decimal comma"},
	{name: "excel-german-days.csv", config: file.SourceConfig{CSV: format.CSVConfig{DateOrder: timestamp.DayFirst}}, want: "separator ;, decimal comma", step: 24 * time.Hour},
	{name: "excel-us-dates.csv", fails: true, want: "CSVConfig.DateOrder=dmy (day first) or mdy"},
	{name: "excel-us-dates.csv", config: file.SourceConfig{CSV: format.CSVConfig{DateOrder: timestamp.MonthFirst}}},
	{name: "libreoffice-quoted.csv", want: "commas between thousands"},
	{name: "libreoffice-dash.csv", sum: peopleSum - 42.5},
	{name: "pipe.csv", want: "separator |"},
	{name: "no-header.csv", fails: true, want: "line 1 begins like data"},
	{name: "no-time.csv", fails: true, want: "CSVConfig.Time=NAME"},
	{name: "powershell-type.csv", want: "1 line with # left out", sum: peopleSum + 24},
	{name: "powershell-utf16.csv", sum: peopleSum + 24},
	{name: "prometheus.json", fails: true, want: "an answer of Prometheus"},
	{name: "jq-prometheus.jsonl", sum: cpuSum},
	{name: "jq-flat.jsonl", sum: peopleSum + 24},
	{name: "jq-pretty.json", fails: true, want: "jq -c ."},
	{name: "jq-newest-first.jsonl", want: "newest line first: sorted", sum: peopleSum + 24},
	{name: "pandas-date-column.csv", want: "time in column Date, column without a name left out"},
	{name: "pandas-date-column.csv", config: file.SourceConfig{CSV: format.CSVConfig{Time: "Date"}}, want: "column without a name left out"},
	{name: "pandas-index-from-1.csv", want: "time in column Date, column without a name left out"},
	{name: "pandas-index-named.csv", want: "time in column Date, column index left out"},
	{name: "pandas-index-newest-first.csv", want: "time in column Date, column id left out, newest line first: sorted"},
	{name: "pandas-unnamed-0.csv", want: "time in column Date, columns without a name, Unnamed: 0 left out"},
	{name: "pandas-index-epoch.csv", want: "time in column epoch, column without a name left out"},
	{name: "pandas-index-us-dates.csv", fails: true, want: `column "Date" has dates such as "01/05/2026 00:00", whose order`},
	{name: "pandas-no-time.csv", fails: true, want: `awk 'NR == 1 {print "step," $0`},
	{name: "pandas-index.pq", want: "column __index_level_0__ left out"},
	{name: "pandas-two-levels.csv", want: "time in column Date, a series for each host", series: "web1 web2", rows: 48, sum: 2 * peopleSum},
	{name: "pandas-two-levels-unnamed.csv", want: "time in column Unnamed: 1, a series for each Unnamed: 0", series: "web1 web2", rows: 48, sum: 2 * peopleSum},
	{name: "pandas-column-levels.csv", want: "3 lines of the header joined"},
	{name: "pandas-compact-dates.csv", want: "time in column Date, times are dates such as 20260131, column without a name left out", step: 24 * time.Hour},
	{name: "r-write-csv.csv", want: "time in column time, column without a name left out"},
	{name: "r-write-csv2.csv", want: "separator ;, decimal comma, time in column time, column without a name left out"},
	{name: "r-write-table.csv", want: "first column without a name, time in column time, column without a name left out"},
	{name: "r-rownames.csv", want: "first column without a name"},
	{name: "polars-row-index.csv", want: "time in column time, column row_nr left out"},
	{name: "excel-sep.csv", want: "decimal comma"},
	{name: "excel-sheet.csv", want: "2 lines before the header left out"},
	{name: "excel-windows-1252.csv", want: "encoding Windows-1252, separator ;, decimal comma"},
	{name: "excel-month-names.csv"},
	{name: "logger-date-and-clock.csv", want: "time of day in column Time"},
	{name: "epoch-ms.csv"},
	{name: "time-last.csv", want: "time in column time"},
	{name: "blank-lines.csv"},
	{name: "grafana-panel.csv"},
	{name: "grafana-rows.csv", want: "separator ;, time in column Time, a series for each Series", series: "cpu mem", rows: 48},
	{name: "influx-raw.csv", want: "3 lines with # left out, time in column _time, a series for each _field, columns result, table, _start, _stop, _measurement, host left out", series: "cpu mem", rows: 48},
	{name: "influx-raw-two-tables.csv", want: "3 lines with # left out, time in column _time, a series for each _field, columns result, table, _start, _stop, _measurement, host left out", series: "cpu mem", rows: 48},
	{name: "cloudwatch-data.json", fails: true, want: "an answer of CloudWatch"},
	{name: "cloudwatch-statistics.json", fails: true, want: "an answer of CloudWatch"},
	{name: "datadog.json", fails: true, want: "an answer of Datadog"},
	{name: "influx-1.json", fails: true, want: "an answer of InfluxDB"},
	{name: "elasticsearch.json", fails: true, want: "an answer of Elasticsearch"},
	{name: "open-meteo.json", fails: true, want: "an object of columns"},
	{name: "psql-copy.csv"},
	{name: "psql-text.tsv", fails: true, want: "CSVConfig.Header=time,v1,v2 CSVConfig.Comma=tab"},
	{name: "psql-text.tsv", config: file.SourceConfig{CSV: format.CSVConfig{Header: []string{"time", "v1", "v2"}, Comma: '\t'}}},
	{name: "mysql-batch.tsv", sum: peopleSum - 42.5},
	{name: "home-assistant.csv", want: "time in column last_changed, a series for each entity_id", series: "sensor.cpu sensor.mem", rows: 48, sum: peopleSum - 42.5},
	{name: "sqlite.csv", fails: true, want: "CSVConfig.Header=time,v1,v2"},
	{name: "sqlite.csv", config: file.SourceConfig{CSV: format.CSVConfig{Header: []string{"time", "v1", "v2"}}}},
	{name: "collectd-cpu-2026-01-05", fails: true, want: "SourceConfig.Format=csv"},
	{name: "collectd-cpu-2026-01-05", config: file.SourceConfig{Format: "csv"}, sum: cpuSum},
	{name: "sadf.csv", want: "names from line 1 with #, separator ;, time in column timestamp, column hostname left out", sum: peopleSum + 24*3599},
	{name: "google-trends.csv", fails: true, want: `"<1" in column "mem: (Worldwide)" is not a number`},
	{name: "google-trends.csv", config: file.SourceConfig{CSV: format.CSVConfig{Missing: []string{"<1"}}}, want: "1 line before the header left out", step: 24 * time.Hour, sum: peopleSum - 42.5},
	{name: "excel-unicode.txt", fails: true, want: "say CSVConfig.DateOrder=dmy (day first) or mdy (month first)"},
	{name: "excel-unicode.txt", config: file.SourceConfig{CSV: format.CSVConfig{DateOrder: timestamp.DayFirst}}, want: "separator tab, decimal comma"},
	{name: "separators-header.csv", fails: true, want: "the header has the separator , and the lines below it ;: make them alike with  sed '1s/,/;/g' IN > OUT"},
	{name: "separators-lines.csv", fails: true, want: "sed 's/;/,/g' IN > OUT"},
	{name: "nested.jsonl", want: "memory.used, memory.free left out (JSONConfig.Values=memory reads memory alone)", sum: cpuSum},
	{name: "nested.jsonl", config: file.SourceConfig{JSON: format.JSONConfig{Values: "memory"}}, sum: peopleSum - cpuSum + 24},
	{name: "nested.jsonl", config: file.SourceConfig{Strict: true}, fails: true, want: "state them: JSONConfig.Values=."},
	{name: "long.csv", config: file.SourceConfig{Strict: true, CSV: format.CSVConfig{Series: []string{"host"}}}, fails: true, want: "column metric left out (CSVConfig.Variable=metric assemble.Config.Interval=1h makes a variable of each metric)"},
	{name: "two-hosts.jsonl", config: file.SourceConfig{JSON: format.JSONConfig{Series: "host"}}, want: "text of message left out", series: "web1 web2", rows: 48, sum: 2 * peopleSum},
	{name: "two-hosts.jsonl", config: file.SourceConfig{Strict: true}, fails: true, want: "(a series for each host, text of message left out); state them: JSONConfig.Series=host JSONConfig.Values=."},
	{name: "two-hosts.jsonl", want: "a series for each host, text of message left out", series: "web1 web2", rows: 48, sum: 2 * peopleSum},
	{name: "nested-alone.jsonl", fails: true, want: "JSONConfig.Values=metrics"},
	{name: "beside-values.jsonl", want: "n left out, beside the object values"},
	{name: "pandas-columns.json", fails: true, want: `to_json(PATH, orient="records", lines=True)`},
	{name: "compressed.csv"},
	{name: "not-compressed.csv.gz", series: "not-compressed"},
	{name: "utf16-no-mark.csv", fails: true, want: "iconv -f UTF-16LE"},
	{name: "picture.csv", fails: true, want: "is a picture"},
	{name: "workbook.xlsx", fails: true, want: "the workbook is damaged"},
	{name: "database.csv", fails: true, want: "sqlite3 -header -csv"},
	{name: "noise.csv", fails: true, want: "is no text"},
	{name: "login.csv", fails: true, want: "is a web page"},
	{name: "summer-time-ends.csv", config: file.SourceConfig{CSV: format.CSVConfig{Zone: berlin()}}},
	{name: "pandas-index.csv", config: file.SourceConfig{Strict: true}},
	{name: "excel-german.csv", config: file.SourceConfig{Strict: true}, fails: true, want: `CSVConfig.Comma=; CSVConfig.Decimal=,`},
}

// Sums of the values: cpu is 1000.5 + 7 (i mod 5), mem 40 + i/4, rounded to two digits.
const (
	cpuSum    = 24*1000.5 + 7*(4*10+0+1+2+3)
	peopleSum = cpuSum + 24*40 + 276/4.
)

func berlin() *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return zone
}

// TestPeoplesFiles: each file gives the right number of rows and values at the right times, or
// an error that names the remedy.
func TestPeoplesFiles(t *testing.T) {
	used := make(map[string]bool)
	for _, c := range people {
		used[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			src, err := file.OpenSource(filepath.Join("testdata", "people", c.name), c.config)
			if c.fails {
				if err == nil {
					err = readAll(src).err
				}
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got  %v\nwant an error with %s", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			got := readAll(src)
			if got.err != nil {
				t.Fatal(got.err)
			}
			rows, sum, series := c.rows, c.sum, c.series
			if rows == 0 {
				rows = 24
			}
			if sum == 0 {
				sum = peopleSum
			}
			if series == "" {
				series = strings.TrimSuffix(c.name, filepath.Ext(c.name))
			}
			if got.rows != rows || !(math.Abs(got.sum-sum) <= 1e-6) || strings.Join(got.series, " ") != series {
				t.Errorf("%d rows of %q with the sum %v, want %d of %q with %v", got.rows, got.series, got.sum, rows, series, sum)
			}
			if want := cmp.Or(c.step, time.Hour); got.steps != 1 || got.step != want {
				t.Errorf("%d steps, the first one %v, want %v alone", got.steps, got.step, want)
			}
			var assumed []string
			for _, a := range src.Assumptions() {
				assumed = append(assumed, a.Text)
			}
			if s := strings.Join(assumed, ", "); s != c.want {
				t.Errorf("assumed %q, want %q", s, c.want)
			}
		})
	}
	files, err := os.ReadDir(filepath.Join("testdata", "people"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !used[f.Name()] && f.Name() != "make.py" {
			t.Errorf("%s has no row", f.Name())
		}
	}
}

// TestPrintedPrograms: what jq makes of a file with the printed program has all values, read with
// the printed flags.
func TestPrintedPrograms(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		if os.Getenv("FORECASTER_REQUIRE_SERVICES") != "" {
			t.Fatal("jq is not installed")
		}
		t.Skip("jq is not installed")
	}
	corpus := filepath.Join("..", "..", "..", "..", "internal", "wire", "testdata", "corpus") + string(filepath.Separator)
	flags := map[string]file.SourceConfig{
		"":                         {},
		"SourceConfig.Sort=true":   {Sort: true},
		"JSONConfig.Series=series": {JSON: format.JSONConfig{Series: "series"}},
		"JSONConfig.Series=series SourceConfig.Sort=true":   {JSON: format.JSONConfig{Series: "series"}, Sort: true},
		"JSONConfig.Time=@timestamp SourceConfig.Sort=true": {JSON: format.JSONConfig{Time: "@timestamp"}, Sort: true},
	}
	for name, sum := range map[string]float64{
		"prometheus.json": cpuSum, "cloudwatch-data.json": peopleSum, "cloudwatch-statistics.json": cpuSum, "datadog.json": peopleSum,
		"influx-1.json": peopleSum, "elasticsearch.json": peopleSum, "open-meteo.json": peopleSum, "pandas-records.json": peopleSum,
		corpus + "victoriametrics.jsonl": 41386.757, corpus + "pandas-split.json": 41386.757, corpus + "pandas-table.json": 41386.757,
		corpus + "mongoexport.json": 839.297, corpus + "dotnet.jsonl": 839.297,
	} {
		text, err := os.ReadFile(filepath.Join("testdata", "people", name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), filepath.Base(name))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = file.OpenSource(path, file.SourceConfig{})
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		_, command, _ := strings.Cut(err.Error(), "make it so with  ")
		command, read, _ := strings.Cut(command, "  and read  ")
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
			continue
		}
		made, given, _ := strings.Cut(read, " ")
		config, known := flags[given]
		src, err := file.OpenSource(made, config)
		if err != nil || !known {
			t.Errorf("%s: %v with the flags %q", name, err, given)
			continue
		}
		got := readAll(src)
		src.Close()
		if got.err != nil || math.Abs(got.sum-sum) > 1e-6 || got.steps != 1 || got.step != time.Hour {
			t.Errorf("%s: %+v, want the sum %v", name, got, sum)
		}
	}
}

type contents struct {
	rows   int
	series []string
	sum    float64
	step   time.Duration // between the samples of a series
	steps  int           // of different length
	err    error
}

// readAll reads a source to its end; err is also the first refusal.
func readAll(src *file.Source) contents {
	var c contents
	last := make(map[string]int64)
	messages := make([]stream.Message, 7)
	decoder := src.Decoder()
	for {
		n, err := src.Read(context.Background(), messages)
		if errors.Is(err, io.EOF) {
			return c
		}
		if c.err = err; err != nil {
			return c
		}
		for i := range messages[:n] {
			var r stream.Record
			if c.err = decoder.Decode(&r, &messages[i]); c.err != nil {
				return c
			}
			c.rows++
			if !slices.Contains(c.series, r.Series) {
				c.series = append(c.series, r.Series)
			} else if c.steps == 0 {
				c.step = time.Duration(r.Time - last[r.Series])
				c.steps++
			} else if c.step != time.Duration(r.Time-last[r.Series]) {
				c.steps++
			}
			last[r.Series] = r.Time
			for _, v := range r.Values {
				if !math.IsNaN(v) {
					c.sum += v
				}
			}
		}
	}
}
