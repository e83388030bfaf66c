package wire

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Refusals counts the refused records by reason, and keeps the first of each reason. It implements stream.DeadLetters:
// it passes dead letters on to Next.
type Refusals struct {
	Next   stream.DeadLetters // may be nil
	Counts map[string]int64   // by reason

	first []refusal // first refusal of each reason, in order of appearance
}

type refusal struct {
	refuse.Error
	origin string
	json   bool // the message begins like a JSON object
}

// remedies are the settings that help, by reason.
var remedies = map[refuse.Reason]string{
	refuse.NonFinite: "a missing value is an empty field or null; pipeline.max_abs is the largest value that is learnt",
	refuse.Dimension: "list the variables of every record with pipeline.variables",
	refuse.Late:      "sort a file with --sort; let rows wait for late records with pipeline.interval and pipeline.wait",
	refuse.Future:    "pipeline.max_ahead is how far a sample may lie after its message",
	refuse.TooLarge:  "pipeline.max_dim and input.kafka.max_message_len are the limits",
	refuse.TooMany:   "pipeline.max_series is the limit",
	refuse.Memory:    "model.memory is the limit; model.tier=tiny of model.type=auto takes less, as do fewer variables with pipeline.variables",
}

// remedy returns the remedy for a refusal; "": there is none, or the detail of the refusal has it.
func (f refusal) remedy() string {
	switch {
	case f.Remedy != "":
		return ""
	case f.Reason == refuse.Malformed:
		return f.repair()
	case f.Reason == refuse.Duplicate:
		return f.separate()
	}
	return remedies[f.Reason]
}

// separate returns the possible causes of several rows with one time, each with the setting that separates the rows.
func (f refusal) separate() string {
	series, variable := "--set input.csv.series_column=NAME", "--set input.csv.variable_column=NAME"
	if f.json {
		series, variable = "--set input.json.series_field=NAME", "--set input.json.layout=long"
	}
	step, interval := "", "STEP"
	if i := config.Interval(f.Spacing); i.String() != config.Interval(0).String() { // other months have no name
		interval = i.Short()
		step = " (" + interval + ")"
	}
	return `rows with one time are one of these; add the flags behind it
    equal rows, to be taken once:                   --sort
    several series, named in a column or field:     ` + series + `
    several variables, named in a column or field:  ` + variable + `
    local times, with the hour that autumn repeats: --time-zone Europe/Berlin
    ` + fmt.Sprintf("%-47s --set pipeline.interval=%s", "several values of one step"+step+":", interval) + ` --set pipeline.wait_for_late=true --set pipeline.aggregate=mean`
}

// repair returns the remedy for a malformed message, which depends on the format.
func (f refusal) repair() string {
	switch {
	case f.Fault == refuse.WrongFields:
		return "repair the line, or its quotes; where many lines are like this, name the separator with input.csv.comma"
	case f.Fault == refuse.NotNumber:
		return f.missing() + "; or name the columns with input.csv.value_columns"
	case f.Fault == refuse.NotTime:
		return "repair the time; where many are like this, name their form with input.csv.date_order or input.time_format"
	case f.Fault == refuse.NotObject:
		return "repair the line: each has one whole object; objects of several lines become such lines with  jq -c . IN > OUT.jsonl"
	case f.json:
		return "a missing value is null, a number has no quotes; name the fields with input.json.time_field, input.json.series_field and input.json.values_field"
	}
	return "repair the line, or leave it out"
}

// missing returns the setting that makes the cell a spelling of a missing value.
func (f refusal) missing() string {
	if strings.ContainsAny(f.Cell, ",[\n") || len(f.Cell) > 40 { // the setting would be a list, or the command long
		return "name spellings of missing values with input.csv.missing"
	}
	return fmt.Sprintf("for a missing value add --set %s, with NA and the like after a comma if the file has them", shell.Quote("input.csv.missing="+f.Cell))
}

// Add counts a refused message.
func (r *Refusals) Add(m *stream.Message, err *refuse.Error) {
	if r.Counts == nil {
		r.Counts = make(map[string]int64)
	}
	r.Counts[string(err.Reason)]++
	i := slices.IndexFunc(r.first, func(f refusal) bool { return f.Reason == err.Reason })
	switch {
	case i < 0:
		r.first = append(r.first, refusal{*err, m.Origin(), bytes.HasPrefix(bytes.TrimSpace(m.Value), []byte("{"))})
	case err.Spacing != 0: // the first duplicate often comes before a second time shows the spacing
		r.first[i].Spacing = err.Spacing
	}
}

// Total returns the number of refused records.
func (r *Refusals) Total() (n int64) {
	for _, count := range r.Counts {
		n += count
	}
	return n
}

// First returns the place and the reason of the first refusal; "": there was none.
func (r *Refusals) First() string {
	if len(r.first) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %v", r.first[0].origin, &r.first[0].Error)
}

// String returns the number of refused records by reason, the first refusal and the remedies; "": no record was refused.
func (r *Refusals) String() string {
	if len(r.first) == 0 {
		return ""
	}
	return fmt.Sprintf("refused: %s; the first: %s", report.CountsOf(r.Counts), r.First()) + r.Remedies()
}

// Remedies returns a line for each reason that has a remedy.
func (r *Refusals) Remedies() (s string) {
	for _, f := range r.first {
		if remedy := f.remedy(); remedy != "" {
			s += fmt.Sprintf("\n  %s: %s", f.Reason, remedy)
		}
	}
	return s
}

// Check returns an error if the share of refused records exceeds most.
func (r *Refusals) Check(records int64, most float64) error {
	n := r.Total()
	if n == 0 || float64(n) <= most*float64(records) {
		return nil
	}
	return fmt.Errorf("%s of %s records were refused, more than --max-refused %g allows", plural.Thousands(n), plural.Thousands(records), most)
}

// WriteDeadLetters implements stream.DeadLetters.
func (r *Refusals) WriteDeadLetters(ctx context.Context, letters []stream.DeadLetter) error {
	for i := range letters {
		r.Add(&letters[i].Message, &letters[i].Error)
	}
	if r.Next == nil {
		return nil
	}
	return r.Next.WriteDeadLetters(ctx, letters)
}

// Close implements stream.DeadLetters; Next is closed by its owner.
func (r *Refusals) Close() error { return nil }
