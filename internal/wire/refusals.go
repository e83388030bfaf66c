package wire

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream"
)

// Refusals counts the records that were refused, by reason, with the first of each. As
// stream.DeadLetters it passes them on to Next.
type Refusals struct {
	Next   stream.DeadLetters // or nil
	Counts map[string]int64   // by reason

	first []refusal // of each reason, in order of appearance
}

type refusal struct {
	reason stream.Reason
	text   string // where and why
	json   bool   // the message begins as an object does
}

// remedies are the settings that help against a reason.
var remedies = map[stream.Reason]string{
	stream.NonFinite: "a missing value is an empty field or null; pipeline.max_abs is the largest value that is learnt",
	stream.Dimension: "list the variables of every record with pipeline.variables",
	stream.Late:      "sort a file with --sort; let rows wait for late records with pipeline.interval and pipeline.wait",
	stream.Future:    "pipeline.max_ahead is how far a sample may lie after its message",
	stream.TooLarge:  "pipeline.max_dim and input.kafka.max_message_len are the limits",
	stream.TooMany:   "pipeline.max_series is the limit",
	stream.Memory:    "model.tier=tiny, model.memory, or fewer variables with pipeline.variables",
}

// remedy returns what helps against a refusal, "" where nothing does or its text says so itself.
func (f refusal) remedy() string {
	switch {
	case strings.Contains(f.text, "--set "), strings.Contains(f.text, "jq -c "), strings.Contains(f.text, "sed -E "):
		return ""
	case f.reason == stream.Malformed:
		return f.repair()
	case f.reason == stream.Duplicate:
		return f.separate()
	}
	return remedies[f.reason]
}

// separate returns what rows of one time may be, each with what tells these apart.
func (f refusal) separate() string {
	series, variable := "--set input.csv.series_column=NAME", "--set input.csv.variable_column=NAME"
	if f.json {
		series, variable = "--set input.json.series_field=NAME", "--set input.json.layout=long"
	}
	return `rows with one time are one of these; add what is behind it
    equal rows, to be taken once:                   --sort
    several series, named in a column or field:     ` + series + `
    several variables, named in a column or field:  ` + variable + `
    local times, with the hour that autumn repeats: --time-zone Europe/Berlin
    several values of one step, here of an hour:    --set pipeline.interval=1h --set pipeline.wait_for_late=true --set pipeline.aggregate=mean`
}

// repair returns what helps against a malformed message of the format that it has.
func (f refusal) repair() string {
	has := func(part string) bool { return strings.Contains(f.text, part) }
	switch {
	case has(" fields where the header has "):
		return "repair the line, or its quotes; where many lines are like this, name the separator with input.csv.comma"
	case has(" in column ") && has(" is not a number"):
		return f.missing() + "; or name the columns with input.csv.value_columns"
	case has(" in column ") && has(": the time "):
		return "repair the time; where many are like this, name their form with input.csv.date_order or input.csv.time_unit"
	case has(": not JSON at byte ") || has(": not a JSON object "):
		return "repair the line: each has one whole object; objects of several lines become such lines with  jq -c . IN > OUT.jsonl"
	case f.json:
		return "a missing value is null, a number has no quotes; name the fields with input.json.time_field, input.json.series_field and input.json.values_field"
	}
	return "repair the line, or leave it out"
}

// missing returns how the cell is named as a spelling of a missing value.
func (f refusal) missing() string {
	_, detail, _ := strings.Cut(f.text, string(stream.Malformed)+": ")
	quoted, _ := strconv.QuotedPrefix(detail)
	cell, err := strconv.Unquote(quoted)
	if err != nil || strings.ContainsAny(cell, ",[") || strings.HasSuffix(cell, "...") { // it would be a list, or is not whole
		return "name spellings of missing values with input.csv.missing"
	}
	return fmt.Sprintf("for a missing value add --set %s, with NA and the like after a comma if the file has them", shell.Quote("input.csv.missing="+cell))
}

// Add counts a refused message.
func (r *Refusals) Add(m *stream.Message, err *stream.DataError) {
	if r.Counts == nil {
		r.Counts = make(map[string]int64)
	}
	r.Counts[string(err.Reason)]++
	if !slices.ContainsFunc(r.first, func(f refusal) bool { return f.reason == err.Reason }) {
		r.first = append(r.first, refusal{err.Reason, fmt.Sprintf("%s: %v", m.Origin(), err), bytes.HasPrefix(bytes.TrimSpace(m.Value), []byte("{"))})
	}
}

// Total returns the number of refused records.
func (r *Refusals) Total() (n int64) {
	for _, count := range r.Counts {
		n += count
	}
	return n
}

// First returns where and why the first record was refused, "" when none was.
func (r *Refusals) First() string {
	if len(r.first) == 0 {
		return ""
	}
	return r.first[0].text
}

// String says how many records were refused and why, with the first one and what helps; ""
// when none was.
func (r *Refusals) String() string {
	if len(r.first) == 0 {
		return ""
	}
	return fmt.Sprintf("refused: %s; the first: %s", report.CountsOf(r.Counts), r.First()) + r.Remedies()
}

// Remedies returns a line for each reason against which something helps.
func (r *Refusals) Remedies() (s string) {
	for _, f := range r.first {
		if remedy := f.remedy(); remedy != "" {
			s += fmt.Sprintf("\n  %s: %s", f.reason, remedy)
		}
	}
	return s
}

// Check returns an error when more than the share most of so many records was refused.
func (r *Refusals) Check(records int64, most float64) error {
	n := r.Total()
	if n == 0 || float64(n) <= most*float64(records) {
		return nil
	}
	return fmt.Errorf("%s of %s records were refused, more than --max-refused %g allows", report.Thousands(n), report.Thousands(records), most)
}

// WriteDeadLetters implements stream.DeadLetters.
func (r *Refusals) WriteDeadLetters(ctx context.Context, letters []stream.DeadLetter) error {
	for i := range letters {
		r.Add(&letters[i].Message, &stream.DataError{Reason: letters[i].Reason, Detail: letters[i].Detail})
	}
	if r.Next == nil {
		return nil
	}
	return r.Next.WriteDeadLetters(ctx, letters)
}

// Close implements stream.DeadLetters; Next is closed by its owner.
func (r *Refusals) Close() error { return nil }
