package events

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// readCSV reads a header line with the columns name, from and to, among others and in any order, then one line per
// occurrence. An occurrence that ends with a date lasts until the end of that day.
func (l *list) readCSV(content []byte, zone *time.Location) error {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\ufeff"))))
	r.TrimLeadingSpace = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("the file is empty; its first line must be name,from,to")
	}
	if err != nil {
		return err
	}
	var column [3]int
	for i, want := range []string{"name", "from", "to"} {
		column[i] = slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), want) })
		if column[i] < 0 {
			return fmt.Errorf("line 1: no column %q; the first line must have name, from and to, got %q", want, strings.Join(header, ","))
		}
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		from, _, err := parseTime(row[column[1]], zone)
		if err != nil {
			return fmt.Errorf("line %d: from: %w", line, err)
		}
		to, day, err := parseTime(row[column[2]], zone)
		if err != nil {
			return fmt.Errorf("line %d: to: %w", line, err)
		}
		if day {
			to = to.AddDate(0, 0, 1)
		}
		if err := l.add(strings.TrimSpace(row[column[0]]), from, to); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// parseTime parses a time or a date, and reports whether it is a date.
func parseTime(text string, zone *time.Location) (t time.Time, day bool, err error) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t, false, nil
		}
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return t, true, nil
	}
	return t, false, fmt.Errorf("must be a day such as 2026-12-25 or a time such as 2026-12-25T08:00:00Z, got %q", text)
}
