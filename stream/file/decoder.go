package file

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/sniff"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// configure finds the format of the file and the decoder of its lines.
func (s *Source) configure(c SourceConfig) error {
	base := filepath.Base(cmp.Or(s.packedName, s.path))
	ext := strings.ToLower(filepath.Ext(base))
	if isPacked(ext) {
		base = base[:len(base)-len(ext)]
		ext = strings.ToLower(filepath.Ext(base))
	}
	s.dropEqual, s.missing = c.DropEqual, c.Missing
	s.strict, s.sort, s.asIs, s.blanks = c.Strict, c.Sort, c.asIs, " \t\r\n\x00"
	if c.Sort && s.live != nil {
		return fmt.Errorf("%s: only a regular file can be sorted", s.path)
	}
	s.key = []byte(cmp.Or(c.Series, base[:len(base)-len(ext)], base))
	f, err := s.formatOf(&c)
	if err == nil && f.Table == nil && s.live == nil {
		err = s.checkText()
	}
	if err == nil && f.Name == "" {
		err = s.noFormat(ext, c.Formats)
	}
	if err != nil {
		return err
	}
	if f.Table != nil {
		if err := s.readTable(f, &c); err != nil {
			return err
		}
	} else if len(c.partitions) > 0 {
		return fmt.Errorf("%s: the folders have the column %s, which is read with Parquet alone: name the files of one folder, or make each file a series with  %s",
			s.path, strings.Join(c.partitions, ","), s.setting.Set("SourceConfig.PerFile", "true"))
	}
	s.longest = cmp.Or(c.MaxBytes, 1<<20) + 1
	s.found = c
	if f.Lines == nil {
		if ext == ".tsv" {
			c.CSV.Comma = cmp.Or(c.CSV.Comma, '\t')
		}
		s.csv = &c.CSV
		if s.live == nil || c.CSV.Header != nil {
			return s.configureCSV(context.Background())
		}
		return nil
	}
	if f.check != nil && s.live == nil {
		if err := f.check(s, &c); err != nil {
			return err
		}
	}
	s.found = c
	if s.decoder, err = f.Lines(&c); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if s.live != nil {
		return nil
	}
	if err := s.nameSentinels(); err != nil {
		return err
	}
	return s.orderLines()
}

// orderLines sorts lines of JSON or line protocol by their times, if c asks for it or if the newest line comes
// first.
func (s *Source) orderLines() error {
	reverse := s.newestFirst()
	if reverse && !s.sort {
		if err := s.assume(sniff.Assumption{Text: "newest line first: sorted", Field: sniff.SortField, Value: "true"}); err != nil {
			return err
		}
	}
	if !reverse && !s.sort {
		return nil
	}
	return s.order(context.Background(), reverse)
}

// configureCSV makes the decoder. It reads the header unless c has it.
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
		for err == nil && len(bytes.TrimSpace(s.line)) == 0 { // blank lines before the header
			s.line = s.line[:0]
			err = s.readLine(ctx)
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s is empty, a line with the names of the columns was expected", s.path)
		}
		if err != nil {
			return err
		}
		if c.Header == nil { // a pipe: the first Read reads the header
			if err := s.checkPipe(); err != nil {
				return err
			}
			if c.Header, err = format.ParseHeader(s.line, c.Comma); err != nil {
				return fmt.Errorf("%s:1: %w", s.path, err)
			}
			if err := sniff.NameIndex(&c); err != nil {
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
	if inFile {
		if err := s.noHeader(d.TimeColumn(), &c); err != nil {
			return err
		}
	}
	s.decoder, s.csv, s.found.CSV = d, nil, c
	if inFile {
		s.found.CSV.Header = nil
	}
	s.blanks += string(rune(cmp.Or(c.Comma, ',')))
	if (reverse || s.sort) && !s.asIs {
		return s.order(ctx, reverse)
	}
	return nil
}

// noHeader returns the error of a file whose first line is data: a time, or numbers that cannot be names, such as
// 1.5e+00. The error proposes names that fit the contents of the columns.
func (s *Source) noHeader(time string, c *format.CSVConfig) error {
	number := func(cell string) bool { _, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); return err == nil }
	whole := func(cell string) bool { _, err := strconv.ParseInt(strings.TrimSpace(cell), 10, 64); return err == nil }
	_, err := timestamp.Parse([]byte(time), c.TimeUnit)
	begins := "%s: line 1 begins like data (%s), a line with the names of the columns was expected"
	comma := string(cmp.Or(c.Comma, ','))
	if isTime := err == nil; !isTime {
		if len(c.Header) < 2 || !all(c.Header, number) || all(c.Header, whole) {
			return nil
		}
		line := "step"
		for i := range c.Header {
			line += fmt.Sprintf("%sv%d", comma, i+1)
		}
		return fmt.Errorf(begins+": add one, and a column of numbers of lines for times, with  awk %s IN > OUT.csv", s.path, c.Header[0],
			shell.Quote(fmt.Sprintf(`BEGIN {print %q} !/^ *#/ {print n++ %q $0}`, line, comma)))
	}
	var names []string
	texts, values := 0, 0
	for _, cell := range c.Header {
		_, err := timestamp.Parse([]byte(cell), c.TimeUnit)
		switch isTime := err == nil && !number(cell); {
		case cell == time:
			names = append(names, "time")
		case !isTime && !number(cell) && texts == 0:
			texts++
			names = append(names, "series")
		default:
			values++
			names = append(names, fmt.Sprintf("v%d", values))
		}
	}
	if values == 0 {
		names = append(names, "v1")
	}
	said := fmt.Sprintf(begins, s.path, time)
	if names[0] != "time" || texts > 0 { // names in the file also show which column is the time or the series
		return fmt.Errorf("%s: add one with  (echo %s; cat IN) > OUT.csv", said, shell.Quote(strings.Join(names, comma)))
	}
	set := s.setting.Set("CSVConfig.Header", strings.Join(names, ","))
	if c.Comma != ',' {
		set += " " + s.setting.Set("CSVConfig.Comma", format.SeparatorName(c.Comma))
	}
	return fmt.Errorf("%s: add one, or name them with  %s", said, set)
}

func all(cells []string, ok func(string) bool) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return !ok(cell) })
}

// Decoder returns a new decoder of the messages. It must decode every message once, in order: when clocks go back,
// the time before tells which of two equal local times of CSV is meant.
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

// lateDecoder is the decoder of a Source that has not read its header yet.
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
