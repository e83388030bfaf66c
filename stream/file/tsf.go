package file

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orffvar/forecaster/stream/file/internal/csvfield"
)

// TSFFormat is the format of the Monash archive (Godahewa et al. 2021): one series per line.
var TSFFormat = Format{Name: "tsf", Extensions: []string{".tsf"}, Table: readTSF}

// tsfReader reads a TSF file as lines of CSV with the columns unique_id, ds and y.
type tsfReader struct {
	pieces
	lines       *bufio.Reader
	line        int // number of the last line
	attributes  int // number of fields before the values of a series
	name, start int // indices of these attributes; -1: none
	months      int // spacing of the values in months; 0: the spacing is step
	step        time.Duration

	series []byte // name of the current series
	began  time.Time
	n      int // number of its values that were read
	at     time.Time
	values []byte // its remaining values
	rest   bool   // values is not used up
}

// tsfSteps are the spacings of the named frequencies.
var tsfSteps = map[string]struct {
	months int
	step   time.Duration
}{
	"yearly": {12, 0}, "quarterly": {3, 0}, "monthly": {1, 0}, "weekly": {0, 7 * 24 * time.Hour}, "daily": {0, 24 * time.Hour}, "hourly": {0, time.Hour},
	"half_hourly": {0, 30 * time.Minute}, "minutely": {0, time.Minute}, "secondly": {0, time.Second},
}

// mostTSFLine is the largest length of a line, which is a whole series, in bytes.
const mostTSFLine = 1 << 28

func readTSF(f *os.File, size int64, c *SourceConfig) (io.Reader, error) {
	r := &tsfReader{lines: bufio.NewReaderSize(io.NewSectionReader(f, 0, size), sampleBytes), name: -1, start: -1}
	if err := r.head(); err != nil {
		return nil, err
	}
	c.CSV.Comma, c.CSV.Decimal = ',', '.'
	r.text, r.more = []byte("unique_id,ds,y\n"), r.rows
	return r, nil
}

// head reads the lines up to @data.
func (r *tsfReader) head() error {
	known := false
	for {
		line, err := r.next()
		if errors.Is(err, io.EOF) {
			return errors.New("a TSF file has a line @data before its series, and this one has none")
		}
		if err != nil {
			return err
		}
		fields := strings.Fields(string(line))
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		switch strings.ToLower(fields[0]) {
		case "@attribute":
			if len(fields) < 3 {
				return fmt.Errorf("line %d: @attribute needs a name and a type", r.line)
			}
			switch {
			case fields[2] == "date" && r.start < 0:
				r.start = r.attributes
			case r.name < 0:
				r.name = r.attributes
			}
			r.attributes++
		case "@frequency":
			if len(fields) < 2 {
				return fmt.Errorf("line %d: @frequency needs a value", r.line)
			}
			if known = r.frequency(strings.ToLower(fields[1])); !known {
				return fmt.Errorf("line %d: @frequency %s is not known: yearly, quarterly, monthly, weekly, daily, hourly, half_hourly, minutely, secondly, and N_minutes or N_seconds are", r.line, fields[1])
			}
		case "@data":
			switch {
			case r.start < 0:
				return errors.New("the series have no start (@attribute start_timestamp date), so their rows have no times: add one, or write a CSV file with a column of times")
			case !known:
				return errors.New("the file has no @frequency, so its rows have no times: add a line such as  @frequency hourly")
			}
			return nil
		}
	}
}

// frequency sets the spacing, and reports whether it is known.
func (r *tsfReader) frequency(name string) bool {
	step, known := tsfSteps[name]
	number, unit, several := strings.Cut(name, "_")
	if n, err := strconv.Atoi(number); several && err == nil && n > 0 && n < 1e6 {
		d := map[string]time.Duration{"minutes": time.Minute, "seconds": time.Second, "hours": time.Hour}[unit]
		step.step, known = time.Duration(n)*d, d > 0
	}
	r.months, r.step = step.months, step.step
	return known
}

// next returns the next line without its newline.
func (r *tsfReader) next() ([]byte, error) {
	var line []byte
	for {
		b, err := r.lines.ReadSlice('\n')
		if line = append(line, b...); len(line) > mostTSFLine {
			return nil, fmt.Errorf("line %d is longer than %d MiB", r.line+1, mostTSFLine>>20)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		r.line++
		return bytes.TrimSpace(line), nil
	}
}

// rows writes the next values as lines of CSV.
func (r *tsfReader) rows() error {
	if !r.rest {
		return r.begin()
	}
	r.text = nil
	for n := 0; r.rest && n < 1000; n++ {
		var v []byte
		v, r.values, r.rest = bytes.Cut(r.values, []byte(","))
		if v = bytes.TrimSpace(v); len(v) == 1 && v[0] == '?' {
			v = nil
		}
		r.text = csvfield.AppendText(r.text, string(r.series))
		r.text = append(r.text, ',')
		r.text = r.at.AppendFormat(r.text, time.RFC3339)
		r.text = append(r.text, ',')
		r.text = append(append(r.text, v...), '\n')
		r.n++
		r.at = r.began.Add(time.Duration(r.n) * r.step)
		if r.months > 0 {
			r.at = monthsAfter(r.began, r.n*r.months)
		}
	}
	return nil
}

// begin reads the attributes of the next series.
func (r *tsfReader) begin() error {
	line, err := r.next()
	if err != nil || len(line) == 0 || line[0] == '#' {
		return err
	}
	fields := bytes.SplitN(line, []byte(":"), r.attributes+1)
	if len(fields) <= r.attributes {
		return fmt.Errorf("line %d has %d fields, %d attributes and the values were expected", r.line, len(fields), r.attributes)
	}
	start := string(bytes.TrimSpace(fields[r.start]))
	i := slices.IndexFunc(tsfTimes, func(layout string) bool { r.at, err = time.Parse(layout, start); return err == nil })
	if i < 0 {
		return fmt.Errorf("line %d: start %q is no time such as 1979-01-01 00-00-00", r.line, start)
	}
	r.series = []byte("T" + strconv.Itoa(r.line))
	if r.name >= 0 {
		r.series = bytes.Clone(bytes.TrimSpace(fields[r.name]))
	}
	r.began, r.n = r.at, 0
	r.values, r.rest = fields[r.attributes], true
	return nil
}

// monthsAfter returns the same day a number of months later, or the last day of that month if it is shorter.
func monthsAfter(t time.Time, months int) time.Time {
	next := t.AddDate(0, months, 0)
	if next.Day() != t.Day() {
		next = next.AddDate(0, 0, -next.Day())
	}
	return next
}

var tsfTimes = []string{"2006-01-02 15-04-05", "2006-01-02 15:04:05", "2006-01-02"}
