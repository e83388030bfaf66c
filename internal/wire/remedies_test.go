package wire

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/recorded"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// keptLetters keeps what it gets.
type keptLetters struct{ all []stream.DeadLetter }

func (k *keptLetters) WriteDeadLetters(_ context.Context, letters []stream.DeadLetter) error {
	k.all = append(k.all, letters...)
	return errors.New("full")
}

func (k *keptLetters) Close() error { return nil }

// Refusals count each record, pass it on, and name the first with what helps against each reason.
func TestRefusals(t *testing.T) {
	if r := (&Refusals{}); r.String() != "" || r.First() != "" || r.Total() != 0 || r.Check(1, 0) != nil || r.WriteDeadLetters(t.Context(), nil) != nil {
		t.Error("nothing was refused")
	}
	next := new(keptLetters)
	r := &Refusals{Next: next}
	var letters []stream.DeadLetter
	for i, reason := range []refuse.Reason{refuse.Late, refuse.Malformed, refuse.Late, refuse.Duplicate, refuse.Memory} {
		letters = append(letters, stream.DeadLetter{
			Message: stream.Message{Topic: "in", Offset: int64(10 + i), Value: []byte(" {}")}, Error: refuse.Error{Reason: reason, Detail: "detail"},
		})
	}
	letters[4].Remedy = "in the detail"
	if err := r.WriteDeadLetters(t.Context(), letters); err == nil || len(next.all) != 5 {
		t.Errorf("passed on %d, error %v", len(next.all), err)
	}
	text := r.String()
	for _, want := range []string{
		"1 duplicate, 1 malformed, 1 memory, 2 late; the first: " + letters[0].Message.Origin() + ": ", "\n  late: " + remedies[refuse.Late], "\n  malformed: a missing value is null", "input.json.series_field=NAME",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %q", text, want)
		}
	}
	if strings.Contains(text, "\n  memory") || strings.Contains(text, "csv") || strings.Count(text, "\n  late") != 1 || r.Total() != 5 || r.Counts["late"] != 2 {
		t.Errorf("%d records, %s", r.Total(), text)
	}
	if r.Check(10, .5) != nil || r.Check(9, .5) == nil {
		t.Error("five of ten are half of the records, and five of nine more")
	}
}

// TestRemedies: testdata/remedies.txt has what helps against each refusal, of a line of CSV and of one of JSON.
func TestRemedies(t *testing.T) {
	var text strings.Builder
	show := func(of string, err refuse.Error) {
		for _, value := range []string{"1,2", " {}"} {
			r := new(Refusals)
			r.Add(&stream.Message{Value: []byte(value)}, &err)
			fmt.Fprintf(&text, "%s, %s:%s\n", of, value, r.Remedies())
		}
	}
	for _, reason := range []refuse.Reason{
		refuse.Malformed, refuse.NonFinite, refuse.Dimension, refuse.Late, refuse.Duplicate, refuse.Future, refuse.TooLarge, refuse.TooMany, refuse.Memory,
	} {
		show(string(reason), refuse.Error{Reason: reason})
	}
	for _, spacing := range []int64{60e9, 86400e9, -1, -2} { // a minute, a day, a month, two months
		r := new(Refusals)
		for _, known := range []int64{0, spacing, 0} { // the first duplicate and that of another series have none
			r.Add(&stream.Message{}, &refuse.Error{Reason: refuse.Duplicate, Facts: refuse.Facts{Spacing: known}})
		}
		lines := strings.Split(r.Remedies(), "\n")
		fmt.Fprintf(&text, "duplicates, spacing %d:\n%s\n", spacing, lines[len(lines)-1])
	}
	show("with a remedy", refuse.Error{Reason: refuse.Late, Facts: refuse.Facts{Remedy: "in the detail"}})
	for _, fault := range []refuse.Fault{refuse.WrongFields, refuse.NotNumber, refuse.NotTime, refuse.NotObject} {
		show(string(fault), refuse.Error{Reason: refuse.Malformed, Facts: refuse.Facts{Fault: fault, Cell: "n a"}})
	}
	for _, cell := range []string{"a,b", "[a", "a\nb", strings.Repeat("a", 40), strings.Repeat("a", 41)} {
		show(fmt.Sprintf("cell %q", cell), refuse.Error{Reason: refuse.Malformed, Facts: refuse.Facts{Fault: refuse.NotNumber, Cell: cell}})
	}
	recorded.Check(t, filepath.Join("testdata", "remedies.txt"), text.String())
}
