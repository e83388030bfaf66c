package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// sampleBytes is how much of a file is looked at before it is read.
const sampleBytes = 1 << 16

// Assumptions returns what the first lines of the file have decided about its format.
func (s *Source) Assumptions() []format.Assumption { return s.assumptions }

// decodeUTF16 makes r UTF-8 if it begins with the byte order mark of UTF-16, as files of
// Windows do.
func decodeUTF16(r *bufio.Reader) *bufio.Reader {
	mark, _ := r.Peek(2)
	if string(mark) != "\xff\xfe" && string(mark) != "\xfe\xff" {
		return r
	}
	return bufio.NewReaderSize(transform.NewReader(r, unicode.BOMOverride(transform.Nop)), sampleBytes)
}

// sample returns the first complete lines of a regular file, and reads nothing.
func (s *Source) sample() ([]byte, error) {
	b, err := s.peek()
	if len(b) == sampleBytes {
		b = b[:bytes.LastIndexByte(b, '\n')+1]
	}
	return b, err
}

// sniffCSV completes c, skips what stands before the header and reports whether the newest
// line comes first.
func (s *Source) sniffCSV(ctx context.Context, c *format.CSVConfig) (newestFirst bool, err error) {
	b, err := s.sample()
	if err != nil {
		return false, err
	}
	if !utf8.Valid(b) && len(b) > 0 {
		s.lines = bufio.NewReaderSize(transform.NewReader(s.lines, charmap.Windows1252.NewDecoder()), sampleBytes)
		if err := s.assume(format.Assumption{Text: "encoding Windows-1252"}); err != nil {
			return false, err
		}
		if b, err = s.sample(); err != nil {
			return false, err
		}
	}
	found, err := format.SniffCSV(b, len(b) > sampleBytes/2, *c)
	if err != nil {
		return false, fmt.Errorf("%s: %w", s.path, err)
	}
	if s.sort { // asked for, not assumed
		found.Assumptions = slices.DeleteFunc(found.Assumptions, func(a format.Assumption) bool { return a.Field == format.SortField })
	}
	if err := s.assume(found.Assumptions...); err != nil {
		return false, err
	}
	for range found.Skip {
		if err := s.readLine(ctx); err != nil {
			return false, err
		}
		s.line = s.line[:0]
	}
	*c, s.comments = found.CSV, found.Comments
	return found.NewestFirst, nil
}

// sniffJSON refuses JSON that is not one object a line, completes c and lists the members left out.
func (s *Source) sniffJSON(c *SourceConfig) error {
	if err := s.checkJSON(); err != nil {
		return err
	}
	b, err := s.sample()
	if err != nil {
		return err
	}
	found, out, err := format.SniffJSON(b, len(b) > sampleBytes/2, c.JSON)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	c.JSON = found
	return s.assume(out...)
}

// assume remembers assumptions, which a strict source refuses.
func (s *Source) assume(more ...format.Assumption) error {
	more = slices.DeleteFunc(slices.Clone(more), func(a format.Assumption) bool { return s.missing && a.Field == format.MissingField })
	s.assumptions = append(s.assumptions, more...)
	more = slices.DeleteFunc(more, func(a format.Assumption) bool { return a.Usual })
	if !s.strict || len(more) == 0 {
		return nil
	}
	var texts, settings, unset []string
	for _, a := range more {
		texts = append(texts, a.Text)
		if a.Field == "" {
			unset = append(unset, a.Text)
		} else {
			settings = append(settings, s.setting.Set(a.Field, a.Value))
		}
	}
	err := fmt.Errorf("%s: strict reading makes no assumptions, this file needs some (%s)", s.path, strings.Join(texts, ", "))
	if len(settings) > 0 {
		err = fmt.Errorf("%w; state them: %s", err, strings.Join(settings, " "))
	}
	if len(unset) > 0 {
		err = fmt.Errorf("%w; change the file, no setting states this: %s", err, strings.Join(unset, ", "))
	}
	return err
}

// newestFirst reports whether the times of the first lines descend.
func (s *Source) newestFirst() (bool, error) {
	b, err := s.sample()
	if err != nil {
		return false, err
	}
	var at []int64
	for line := range bytes.Lines(b) {
		var r stream.Record
		if s.decoder.Decode(&r, &stream.Message{Key: s.key, Value: bytes.TrimSpace(line)}) == nil {
			at = append(at, r.Time)
		}
	}
	return format.NewestFirst(at), nil
}

// order holds all lines that are left, brings them into the order of their times, or turns
// them round, and goes on with these.
func (s *Source) order(ctx context.Context, reverse bool) error {
	type timed struct {
		time    int64
		line    []byte
		decoded bool
	}
	var lines []timed
	first := s.next
	reverse = reverse && s.set == nil
	for {
		err := s.readLine(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		t := timed{line: bytes.TrimRight(bytes.Clone(s.line), "\r\n")}
		s.line = s.line[:0]
		var r stream.Record
		if !reverse && s.decoder.Decode(&r, &stream.Message{Key: s.key, Value: t.line}) == nil {
			t.time, t.decoded = r.Time, true
		} else if n := len(lines); n > 0 {
			t.time = lines[n-1].time // a line that cannot be read stays where it was
		}
		lines = append(lines, t)
	}
	if reverse {
		slices.Reverse(lines)
	} else {
		slices.SortStableFunc(lines, func(a, b timed) int {
			switch {
			case a.time < b.time:
				return -1
			case a.time > b.time:
				return 1
			}
			return 0
		})
	}
	if s.dropEqual {
		rows, at, here := len(lines), int64(0), make(map[string]bool) // lines of the time at
		lines = slices.DeleteFunc(lines, func(t timed) bool {
			if t.time != at {
				at = t.time
				clear(here)
			}
			again := (t.decoded || reverse) && here[string(t.line)]
			here[string(t.line)] = true
			return again
		})
		if n := rows - len(lines); n > 0 {
			if err := s.assume(format.Assumption{Text: fmt.Sprintf("equal rows left out: %d", n), Usual: true}); err != nil {
				return err
			}
		}
	}
	var b bytes.Buffer
	for _, t := range lines {
		b.Write(t.line)
		b.WriteByte('\n')
	}
	s.next, s.lines = first, bufio.NewReaderSize(&b, sampleBytes)
	return nil
}
