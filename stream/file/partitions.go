package file

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/stream/file/internal/csvfield"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/sniff"
)

// partitionsOf returns the columns and values in the names of a file's folders, column=value, as Hive and Spark
// write them.
func partitionsOf(path string) map[string]string {
	columns := make(map[string]string)
	for _, folder := range strings.Split(filepath.ToSlash(filepath.Dir(path)), "/") {
		if column, value, ok := strings.Cut(folder, "="); ok && column != "" {
			if plain, err := url.PathUnescape(value); err == nil {
				value = plain
			}
			if value == "__HIVE_DEFAULT_PARTITION__" {
				value = ""
			}
			columns[column] = value
		}
	}
	return columns
}

// dateParts are the partition columns that the times of the rows already contain.
var dateParts = []string{"date", "dt", "ds", "day", "week", "month", "quarter", "year", "hour", "minute"}

// partitionColumns returns the partition columns that distinguish the rows of files.
func partitionColumns(files []string) []string {
	values := make(map[string]string)
	varying := make(map[string]bool)
	for _, path := range files {
		for column, value := range partitionsOf(path) {
			if before, seen := values[column]; seen && before != value && !slices.Contains(dateParts, strings.ToLower(column)) {
				varying[column] = true
			}
			values[column] = value
		}
	}
	return slices.Sorted(maps.Keys(varying))
}

// seriesByFolders makes the partition columns the series columns of c, unless c has series columns.
func seriesByFolders(c *SourceConfig, files []string) []sniff.Assumption {
	columns := partitionColumns(files)
	if len(columns) == 0 || c.PerFile {
		return nil
	}
	c.partitions = columns
	if c.CSV.Series != nil {
		return nil
	}
	c.CSV.Series = columns
	names := strings.Join(columns, ",")
	return []sniff.Assumption{{Text: "series by the names of the folders, " + names, Field: "CSVConfig.Series", Value: names, Usual: true}}
}

// withColumns adds the same cells to each line of a table.
type withColumns struct {
	lines *bufio.Reader
	cells []byte // cells to add to the next line: the names first, then the values
	rows  []byte // cells to add to the lines after the header
	text  []byte // text that Read has not returned yet
}

// addPartitions adds the partition columns of c to the lines of a table, except columns that the table has.
func addPartitions(r io.Reader, path string, c *SourceConfig) (io.Reader, error) {
	if len(c.partitions) == 0 {
		return r, nil
	}
	lines := bufio.NewReaderSize(r, sampleBytes)
	b, err := lines.Peek(sampleBytes)
	if len(b) == 0 {
		return nil, err
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	header, err := format.ParseHeader(line, ',')
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", path, err)
	}
	w := &withColumns{lines: lines}
	values := partitionsOf(path)
	for _, column := range c.partitions {
		if !slices.Contains(header, column) {
			w.cells = csvfield.AppendText(append(w.cells, ','), lineBreaks.Replace(column))
			w.rows = csvfield.AppendText(append(w.rows, ','), lineBreaks.Replace(values[column]))
		}
	}
	return w, nil
}

// Read implements io.Reader.
func (w *withColumns) Read(p []byte) (int, error) {
	if len(w.text) == 0 {
		line, err := w.lines.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err
		}
		w.text = append(append(bytes.TrimSuffix(line, []byte("\n")), w.cells...), '\n')
		w.cells = w.rows
	}
	n := copy(p, w.text)
	w.text = w.text[n:]
	return n, nil
}
