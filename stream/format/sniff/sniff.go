package sniff

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/internal/object"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// Assumption is a decision about the format in words, with the setting that makes it explicit.
type Assumption struct {
	Text  string // such as "separator ;"
	Field string // field that makes it explicit with Value, such as "CSVConfig.Comma"; "": there is none
	Value string
	Usual bool // the decision is safe: strict reading accepts it
}

// SortField is the field for a file that is not in the order of its times.
const SortField = "SourceConfig.Sort"

// Result describes a CSV file.
type Result struct {
	CSV         format.CSVConfig
	Skip        int  // number of lines before the last line of the header
	Comments    bool // lines that begin with # are comments
	NewestFirst bool
	Assumptions []Assumption
}

// CSV completes c from the first lines of a file; more: the file goes on after the sample. Fields of c that are set
// stay. CSV finds the separator, the header, the decimal mark, the separator of thousands, the column of the times,
// the series columns if times repeat, the columns to ignore (text and line numbers), and whether the newest line
// comes first.
//
// The error names the property that CSV could not find, and the setting for it.
func CSV(sample []byte, more bool, c format.CSVConfig) (Result, error) {
	s := &sniffer{out: Result{CSV: c}, time: -1, more: more}
	if bytes.IndexByte(sample, '\n') < 0 && bytes.Count(bytes.TrimSpace(sample), []byte{'\r'}) > 1 {
		return s.out, errors.New(`the lines end with CR alone, as old programs of the Mac write them: write them anew with  tr '\r' '\n' < IN > OUT`)
	}
	lines := s.skipComments(sampleLines(sample))
	if len(lines) == 0 {
		return s.out, nil // the decoder reports the missing header
	}
	if err := ruled(lines); err != nil {
		return s.out, err
	}
	lines, err := s.separate(lines)
	if err != nil {
		return s.out, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(lines[0].text), []byte(`{"`)) {
		return s.out, fmt.Errorf("line 1 is a JSON object, no names of columns: name the format with %s", s.set("SourceConfig.Format", "jsonl"))
	}
	header, err := format.ParseHeader(lines[0].text, s.out.CSV.Comma)
	if err != nil { // the decoder reports the line with its number, unless a name goes on in the next lines
		return s.out, s.checkBreaks(lines[:min(10, len(lines))])
	}
	rows := slices.DeleteFunc(lines[1:], func(l sampleLine) bool { return bytes.Equal(l.text, lines[0].text) }) // concatenated files repeat the header
	if err := s.checkBreaks(rows); err != nil {
		return s.out, err
	}
	s.readRows(rows, &header)
	s.joinHeader(header)
	if len(s.rows) == 0 {
		return s.out, nil
	}
	if isDatum(s.header[0]) && !slices.ContainsFunc(s.header, func(name string) bool { return !isDatum(name) }) {
		return s.out, nil // the first line is data: the decoder reports it
	}
	if err := s.checkShift(); err != nil {
		return s.out, err
	}
	if err := s.checkTable(); err != nil {
		return s.out, err
	}
	if err := s.findUnits(); err != nil {
		return s.out, err
	}
	s.findNumbers()
	if err := s.findTime(); err != nil {
		return s.out, err
	}
	s.notePoints()
	if err := s.checkBeside(); err != nil {
		return s.out, err
	}
	if err := s.findSeries(); err != nil {
		return s.out, err
	}
	if s.leaveOut(); s.out.CSV.Values == nil && s.units != nil {
		return s.out, s.units
	}
	s.findSentinels()
	s.findOrder()
	return s.out, nil
}

// sniffer is the state of one call of CSV.
type sniffer struct {
	out      Result
	header   []string
	nameless []bool // by column: it has no name in the file
	shifted  bool   // the header lacks the name of the first column
	rows     [][]string
	time     int // column; -1: not found yet
	times    timestamp.Reader
	at       []int64 // times of the rows
	more     bool    // the file goes on after the rows
	units    error   // error of a column with several units
	unsure   cellAt  // number whose point may separate thousands; "": none
}

func (s *sniffer) assume(field, value, format string, args ...any) {
	s.out.Assumptions = append(s.out.Assumptions, Assumption{Text: fmt.Sprintf(format, args...), Field: field, Value: value})
}

// set returns the words with which a user gives a field a value.
func (s *sniffer) set(field, value string) string { return s.out.CSV.Names.Set(field, value) }

// readRows reads the lines after the first line of the header. It completes a header that lacks the name of the
// index, as R writes it, or a name for the separator at the end of each line.
func (s *sniffer) readRows(lines []sampleLine, header *[]string) {
	longer, empty := 0, 0
	var text bufio.Reader
	for _, line := range lines {
		text.Reset(bytes.NewReader(line.text))
		r := csv.NewReader(&text)
		r.Comma, r.FieldsPerRecord = rune(s.out.CSV.Comma), -1
		fields, err := r.Read()
		if err != nil {
			continue // the decoder refuses it
		}
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if len(fields) == len(*header)+1 {
			longer++
			if fields[len(fields)-1] == "" {
				empty++
			}
		}
		s.rows = append(s.rows, fields)
	}
	switch {
	case longer == 0 || 10*longer < 9*len(s.rows):
	case empty == longer:
		*header = append(*header, "")
	default:
		*header = append([]string{""}, *header...)
		s.assume("", "", "first column without a name")
		s.shifted = true
	}
	s.rows = slices.DeleteFunc(s.rows, func(row []string) bool { return len(row) != len(*header) })
	s.times = timestamp.NewReader(s.out.CSV.TimeUnit, s.out.CSV.DateOrder, nil, false)
}

// checkShift returns an error for lines with one field more than the header if the first field is the time, as in the
// header: a decimal comma has then split a number.
func (s *sniffer) checkShift() error {
	isTime := func(column int) bool { return s.hasDates(column) || s.hasEpochs(column) }
	if !s.shifted || !s.named(1, object.TimeNames) || !isTime(0) || isTime(1) {
		return nil
	}
	return fmt.Errorf("the header has %d names and the lines have %d fields, of which the first is the time as the first name, %q, says: "+
		"a number with a decimal comma between commas is two fields; write numbers with a point, or put a semicolon between fields", len(s.header)-1, len(s.header), s.header[1])
}

// NewestFirst reports whether the times never ascend, and descend at least three times: the newest line comes first.
func NewestFirst(times []int64) bool {
	const fewest = 3
	down := 0
	for i := 1; i < len(times); i++ {
		switch {
		case times[i] > times[i-1]:
			return false
		case times[i] < times[i-1]:
			down++
		}
	}
	return down >= fewest
}

// findOrder reports whether the newest line comes first.
func (s *sniffer) findOrder() {
	if s.time < 0 {
		return
	}
	var at []int64
	for _, row := range s.rows {
		if t, err := s.times.Parse([]byte(s.timeOf(row)), ""); err == nil {
			at = append(at, t)
		}
	}
	if NewestFirst(at) {
		s.out.NewestFirst = true
		s.assume(SortField, "true", "newest line first: sorted")
	}
}
