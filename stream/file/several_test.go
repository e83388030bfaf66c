package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/orffvar/forecaster/stream"
)

// writeAll writes files below a new folder.
func writeAll(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "plant")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rowsOf returns "series time values" of every record.
func rowsOf(path string, c SourceConfig) (rows []string, err error) {
	src, err := OpenSource(path, c)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	check, err := OpenSource(path, c)
	if err != nil {
		return nil, err
	}
	defer check.Close()
	if err := check.CheckOrder(context.Background()); err != nil {
		return nil, err
	}
	messages, decoder := make([]stream.Message, 2), src.Decoder()
	for {
		n, err := src.Read(context.Background(), messages)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range n {
			var r stream.Record
			if err := decoder.Decode(&r, &messages[i]); err != nil {
				rows = append(rows, fmt.Sprintf("%s: %v", messages[i].Origin(), err))
				continue
			}
			rows = append(rows, fmt.Sprint(r.Series, " ", r.Time/1e9%1000, " ", r.Values))
		}
	}
}

const csvHead = "time,load\n"

// Files of one kind with the same columns are one data set in the order of their times; others are refused.
func TestSeveralFiles(t *testing.T) {
	later, earlier := csvHead+"1700000003,3\n1700000004,4", csvHead+"1700000001,1\n1700000002,2\n"
	for name, test := range map[string]struct {
		files  map[string]string
		path   string   // below the folder
		more   []string // likewise
		config SourceConfig
		want   string // rows, or part of an error
	}{
		"a folder":          {map[string]string{"a.csv": later, "b.csv": earlier, ".hidden.csv": "x", "_SUCCESS": "", "notes.md": "x"}, "", nil, SourceConfig{}, "plant 1 [1];plant 2 [2];plant 3 [3];plant 4 [4]"},
		"a pattern":         {map[string]string{"load-2.csv": later, "load-1.csv": earlier, "x.csv": "x"}, "load-*.csv", nil, SourceConfig{}, "load 1 [1];load 2 [2];load 3 [3];load 4 [4]"},
		"a list":            {map[string]string{"a.csv": later, "b.csv": earlier}, "a.csv", []string{"b.csv"}, SourceConfig{}, "plant 1 [1];plant 2 [2];plant 3 [3];plant 4 [4]"},
		"each a series":     {map[string]string{"a.csv": later, "b.csv": later}, "", nil, SourceConfig{PerFile: true}, "a 3 [3];a 4 [4];b 3 [3];b 4 [4]"},
		"newest first":      {map[string]string{"a.csv": csvHead + "1700000006,6\n1700000005,5\n1700000004,4\n1700000003,3\n", "b.csv": earlier}, "", nil, SourceConfig{}, "plant 1 [1];plant 2 [2];plant 3 [3];plant 4 [4];plant 5 [5];plant 6 [6]"},
		"merged":            {map[string]string{"a.csv": csvHead + "1700000001,1\n1700000003,3\n", "b.csv": csvHead + "1700000002,2\n1700000004,4"}, "", nil, SourceConfig{Sort: true}, "plant 1 [1];plant 2 [2];plant 3 [3];plant 4 [4]"},
		"the last rows":     {map[string]string{"a.csv": later, "b.csv": earlier}, "", nil, SourceConfig{Last: 3}, "plant 2 [2];plant 3 [3];plant 4 [4]"},
		"overlap":           {map[string]string{"a.csv": csvHead + "1700000001,1\n1700000003,3\n", "b.csv": later}, "", nil, SourceConfig{}, "overlap in time"},
		"other columns":     {map[string]string{"a.csv": earlier, "b.csv": "time,temp\n1700000003,3\n"}, "", nil, SourceConfig{}, `b.csv has not the columns of FOLDER/a.csv: FOLDER/b.csv lacks "load"; FOLDER/a.csv lacks "temp". Several`},
		"another order":     {map[string]string{"a.csv": earlier, "b.csv": "load,time\n3,1700000003\n"}, "", nil, SourceConfig{}, "the order is another one"},
		"another separator": {map[string]string{"a.csv": earlier, "b.csv": "time;load\n1700000003;3\n1700000004;3,5\n"}, "", nil, SourceConfig{}, "name each file alone"},
		"more columns":      {map[string]string{"a.csv": earlier, "b.csv": "time,load,temp\n1700000003,3,4\n"}, "", nil, SourceConfig{}, `FOLDER/a.csv lacks "temp". Several`},
		"many columns":      {map[string]string{"a.csv": earlier, "b.csv": "time,a,b,c,d,e,f,load\n1700000003,1,2,3,4,5,6,7\n"}, "", nil, SourceConfig{}, `FOLDER/a.csv lacks "a", "b", "c", "d", "e" and 1 more. Several`},
		"two kinds":         {map[string]string{"a.csv": later, "b.jsonl": "{}"}, "", nil, SourceConfig{}, "files of 2 kinds"},
		"nothing":           {map[string]string{"a.md": later}, "", nil, SourceConfig{}, "without files of data"},
		"no match":          {map[string]string{"a.csv": later}, "*.parquet", nil, SourceConfig{}, "FOLDER/*.parquet: no file fits this pattern"},
		"twice":             {map[string]string{"a.csv": later}, "a.csv", []string{"./a.csv"}, SourceConfig{}, "named twice"},
		"columns in folder": {map[string]string{"host=a/x.csv": later, "host=b/x.csv": later}, "", nil, SourceConfig{}, "read with Parquet alone"},
		"dates of folders":  {map[string]string{"date=2023-11-14/x.csv": earlier, "date=2023-11-15/x.csv": later}, "", nil, SourceConfig{}, "plant 1 [1];plant 2 [2];plant 3 [3];plant 4 [4]"},
		"place of an error": {map[string]string{"a.csv": later + "\n1700000005,y\n", "b.csv": earlier}, "", nil, SourceConfig{}, "a.csv:4: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeAll(t, test.files)
			for _, m := range test.more {
				test.config.More = append(test.config.More, filepath.Join(dir, m))
			}
			rows, err := rowsOf(filepath.Join(dir, test.path), test.config)
			got := strings.Join(rows, ";")
			if err != nil {
				got = strings.ReplaceAll(err.Error(), dir, "FOLDER")
			}
			if err != nil && strings.HasPrefix(test.want, "plant") || !strings.Contains(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// Columns in the names of folders make the series of Parquet.
func TestPartitionColumns(t *testing.T) {
	type row struct {
		Time int64   `parquet:"time,timestamp(millisecond)"`
		Load float64 `parquet:"load"`
	}
	dir := filepath.Join(t.TempDir(), "plant")
	for i, host := range []string{"a", "b%2Fc"} {
		for day := range 2 {
			path := filepath.Join(dir, "host="+host, fmt.Sprintf("date=2026-01-0%d", day+1), "part-0.parquet")
			if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
			at := int64(1767225600000 + day*86400000)
			if err := parquet.WriteFile(path, []row{{at, float64(10*i + day)}, {at + 1000, 5}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows, err := rowsOf(dir, SourceConfig{})
	if err != nil {
		t.Fatal(err)
	}
	want := "a 600 [0];a 601 [5];b/c 600 [10];b/c 601 [5];a 0 [1];a 1 [5];b/c 0 [11];b/c 1 [5]"
	if got := strings.Join(rows, ";"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
