package file

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/sniff"
)

// sampleBytes is the length of the beginning that decides the format of a file.
const sampleBytes = 1 << 16

// Assumptions returns the decisions about the format that were made from the first lines of the file.
func (s *Source) Assumptions() []sniff.Assumption { return s.assumptions }

// decodeUTF16 returns r as UTF-8. A text with the byte order mark of UTF-16, which Windows writes, is converted.
func decodeUTF16(r *bufio.Reader) *bufio.Reader {
	mark, _ := r.Peek(2)
	if string(mark) != "\xff\xfe" && string(mark) != "\xfe\xff" {
		return r
	}
	return bufio.NewReaderSize(transform.NewReader(r, unicode.BOMOverride(transform.Nop)), sampleBytes)
}

// sample returns the first complete lines of a regular file without consuming them. There is no error: checkText or
// readTable has read these bytes before.
func (s *Source) sample() []byte {
	b, _ := s.peek()
	if len(b) == sampleBytes {
		b = b[:bytes.LastIndexByte(b, '\n')+1]
	}
	return b
}

// sniffCSV sets the open fields of c, skips the lines before the header, and reports whether the newest line
// comes first.
func (s *Source) sniffCSV(ctx context.Context, c *format.CSVConfig) (newestFirst bool, err error) {
	b := s.sample()
	if !utf8.Valid(b) && len(b) > 0 {
		s.lines = bufio.NewReaderSize(transform.NewReader(s.lines, charmap.Windows1252.NewDecoder()), sampleBytes)
		if err := s.assume(sniff.Assumption{Text: "encoding Windows-1252"}); err != nil {
			return false, err
		}
		b = s.sample()
	}
	found, err := sniff.CSV(b, len(b) > sampleBytes/2, *c)
	if err != nil {
		return false, fmt.Errorf("%s: %w", s.path, err)
	}
	if s.sort { // the user asked for it: no assumption
		found.Assumptions = slices.DeleteFunc(found.Assumptions, func(a sniff.Assumption) bool { return a.Field == sniff.SortField })
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

// sniffJSON returns an error for JSON that is not one object per line. Otherwise it sets the open fields of c and
// lists the members that are ignored.
func (s *Source) sniffJSON(c *SourceConfig) error {
	if err := s.checkJSON(); err != nil {
		return err
	}
	b := s.sample()
	found, out, err := sniff.JSON(b, len(b) > sampleBytes/2, c.JSON)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	c.JSON = found
	return s.assume(out...)
}

// assume records assumptions. A strict source returns an error instead.
func (s *Source) assume(more ...sniff.Assumption) error {
	more = slices.DeleteFunc(slices.Clone(more), func(a sniff.Assumption) bool { return s.missing && a.Field == sniff.MissingField })
	s.assumptions = append(s.assumptions, more...)
	more = slices.DeleteFunc(more, func(a sniff.Assumption) bool { return a.Usual })
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
