package file

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// configure finds the format of the file and the decoder of its lines.
func (s *Source) configure(c SourceConfig) error {
	base := filepath.Base(s.path)
	ext := strings.ToLower(filepath.Ext(base))
	if ext == ".gz" {
		base = base[:len(base)-len(ext)]
		ext = strings.ToLower(filepath.Ext(base))
	}
	s.dropEqual = c.DropEqual
	s.strict, s.sort, s.asIs, s.blanks = c.Strict, c.Sort, c.asIs, " \t\r\n"
	if c.Sort && s.live != nil {
		return fmt.Errorf("%s: only a regular file can be sorted", s.path)
	}
	s.key = []byte(cmp.Or(c.Series, base[:len(base)-len(ext)], base))
	c.Format = cmp.Or(c.Format, FormatOf(s.path))
	if c.Format != "parquet" && s.live == nil {
		if err := s.checkText(); err != nil {
			return err
		}
	}
	if c.Format == "" {
		c.Format, s.guessed = "jsonl", true
		if s.file != os.Stdin {
			kind := "csv"
			if b, err := s.lines.Peek(1); err == nil && s.live == nil && b[0] == '{' {
				kind = "jsonl"
			}
			return fmt.Errorf("%s: the extension %q does not say whether this is csv, jsonl, influx or parquet: name it with --set input.file.format=%s", s.path, ext, kind)
		}
	}
	var err error
	if c.Format == "parquet" {
		if err := s.readParquet(&c.CSV); err != nil {
			return err
		}
		c.Format = "csv"
	}
	switch c.Format {
	case "csv":
		if ext == ".tsv" {
			c.CSV.Comma = cmp.Or(c.CSV.Comma, '\t')
		}
		s.longest = cmp.Or(c.CSV.MaxBytes, 1<<20) + 1
		s.csv = &c.CSV
		if s.live == nil || c.CSV.Header != nil {
			return s.configureCSV(context.Background())
		}
	case "jsonl":
		s.longest = cmp.Or(c.JSON.MaxBytes, 1<<20) + 1
		if s.live == nil {
			if err := s.sniffJSON(c.JSON); err != nil {
				return err
			}
		}
		s.decoder, err = format.NewJSON(c.JSON)
	case "influx":
		s.longest = cmp.Or(c.Influx.MaxBytes, 1<<20) + 1
		s.decoder, err = format.NewInflux(c.Influx)
	default:
		err = fmt.Errorf("the format must be csv, jsonl, influx or parquet, got %q", c.Format)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if s.live != nil || c.Format == "csv" {
		return nil
	}
	return s.orderLines()
}

// orderLines brings lines of JSON or line protocol into the order of their times, if asked
// for or if the newest comes first.
func (s *Source) orderLines() error {
	reverse, err := s.newestFirst()
	if err != nil {
		return err
	}
	if reverse && !s.sort {
		if err := s.assume(format.Assumption{Text: "newest line first: sorted", Setting: format.SortSetting}); err != nil {
			return err
		}
	}
	if !reverse && !s.sort {
		return nil
	}
	return s.order(context.Background(), reverse)
}

// FormatOf returns the format that belongs to the extensions of a path, or "".
func FormatOf(path string) string {
	ext := strings.ToLower(filepath.Ext(path))
	if ext == ".gz" {
		ext = strings.ToLower(filepath.Ext(path[:len(path)-len(ext)]))
	}
	switch ext {
	case ".csv", ".tsv":
		return "csv"
	case ".jsonl", ".ndjson", ".json":
		return "jsonl"
	case ".lp", ".influx", ".line":
		return "influx"
	case ".parquet", ".pq":
		return "parquet"
	}
	return ""
}

// configureCSV makes the decoder, for which it reads the header if need be.
func (s *Source) configureCSV(ctx context.Context) error {
	c := *s.csv
	inFile := c.Header == nil
	reverse := false
	if inFile && s.live == nil {
		var err error
		if reverse, err = s.sniffCSV(ctx, &c); err != nil {
			return err
		}
	}
	if inFile {
		err := s.readLine(ctx)
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s is empty, a line with the names of the columns was expected", s.path)
		}
		if err != nil {
			return err
		}
		if c.Header == nil { // of what is not a regular file
			if c.Header, err = format.ParseHeader(s.line, c.Comma); err != nil {
				return fmt.Errorf("%s:1: %w", s.path, err)
			}
			if err := format.NameIndex(&c); err != nil {
				return fmt.Errorf("%s:1: %w", s.path, err)
			}
		}
		s.names = bytes.Clone(bytes.TrimRight(s.line, "\r\n"))
		s.line = s.line[:0]
	}
	d, err := format.NewCSV(c)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if _, err := format.ParseTime([]byte(d.TimeColumn()), c.TimeUnit); err == nil && inFile {
		return s.noHeader(d.TimeColumn(), &c)
	}
	s.decoder, s.csv = d, nil
	s.blanks += string(rune(cmp.Or(c.Comma, ',')))
	if (reverse || s.sort) && !s.asIs {
		return s.order(ctx, reverse)
	}
	return nil
}

// noHeader says that a file begins with data, and which setting names the columns.
func (s *Source) noHeader(time string, c *format.CSVConfig) error {
	names := []string{"time"}
	for i := range max(1, len(c.Header)-1) {
		names = append(names, fmt.Sprintf("v%d", i+1))
	}
	set := "--set input.csv.header=" + strings.Join(names, ",")
	if c.Comma == '\t' {
		set += " --set input.csv.comma=tab"
	} else if c.Comma != ',' {
		set += " --set " + shell.Quote("input.csv.comma="+string(c.Comma))
	}
	return fmt.Errorf("%s: line 1 begins like data (%s), a line with the names of the columns was expected: add one, or name them with  %s", s.path, time, set)
}

// Decoder returns a new decoder of the messages, to be asked once for each of them in their order:
// local times of CSV are told apart by the times before.
func (s *Source) Decoder() stream.Decoder {
	if s.decoder == nil {
		return &lateDecoder{s: s}
	}
	d, ok := s.decoder.(*format.CSV)
	if !ok {
		return s.decoder
	}
	if d = d.New(); d.Remembers() {
		s.local = append(s.local, d)
	}
	return d
}

// lateDecoder is the decoder of a Source that has to read a header first.
type lateDecoder struct {
	s *Source
	stream.Decoder
}

// Decode implements stream.Decoder.
func (d *lateDecoder) Decode(r *stream.Record, m *stream.Message) error {
	if d.Decoder == nil {
		d.Decoder = d.s.Decoder()
	}
	return d.Decoder.Decode(r, m)
}
