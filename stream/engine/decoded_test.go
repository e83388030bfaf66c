package engine_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// words is a decoder of words: a record each, whose memory it uses again, a refusal, a deletion, or an error.
type words struct {
	left   []string
	m      stream.Message
	names  []string
	values []float64
}

func (w *words) Split(m *stream.Message) { w.left, w.m = strings.Fields(string(m.Value)), *m }

func (w *words) Next(r *stream.Record) error {
	if len(w.left) == 0 {
		return io.EOF
	}
	word := w.left[0]
	w.left = w.left[1:]
	w.m.Value = []byte(word)
	return w.Decode(r, &w.m)
}

func (w *words) Decode(r *stream.Record, m *stream.Message) error {
	switch word := string(m.Value); word {
	case "refused":
		return refuse.New(refuse.Malformed, "a word")
	case "deleted":
		return stream.ErrDeleted
	case "broken":
		return errors.New("the disk is broken")
	default:
		w.names, w.values = append(w.names[:0], word), append(w.values[:0], float64(len(word)))
		*r = stream.Record{Message: m, Series: "s", Names: w.names, Values: w.values}
		return nil
	}
}

// alone hides Split.
type alone struct{ stream.Decoder }

// TestDecoded: the parts of messages, after the decoder has used its memory for later ones.
func TestDecoded(t *testing.T) {
	for _, c := range []struct {
		decoder stream.Decoder
		want    string
		deleted int
	}{
		{new(words), "0: a[a][1] bb[bb][2]; 1: a[a][1] malformed: a word cc[cc][2]; 2: ; 3: a[a][1] error in[0]@3: the disk is broken; 4: ; 5: too_large: long", 1},
		{alone{new(words)}, "0: a bb[a bb][4]; 1: a refused cc[a refused cc][12]; 2: ; 3: a broken dd[a broken dd][11]; 4: [][0]; 5: too_large: long", 1},
	} {
		d := engine.NewDecoded(2)
		for range 2 {
			for i, text := range []string{"a bb", "a refused cc", "deleted", "a broken dd", "", "x"} {
				m := stream.Message{Topic: "in", Offset: int64(i), Value: []byte(text)}
				if i == 5 {
					m.Refused = refuse.New(refuse.TooLarge, "long")
				}
				d.Decode(c.decoder, &m)
				clear(m.Value)
			}
			var got []string
			for i := range d.Len() {
				text := fmt.Sprintf("%d:", d.Offset(i))
				err := d.Parts(i, func(r *stream.Record, refusal *refuse.Error) error {
					if refusal != nil {
						text += " " + refusal.Error()
						return nil
					}
					text += fmt.Sprintf(" %s%v%v", r.Message.Value, r.Names, r.Values)
					return nil
				})
				if err != nil {
					text += " error " + err.Error()
				}
				if mark := d.Mark(i); i < 5 && mark.Offset != int64(i) || i == 5 && !mark.None() { // a refused message is not known whole
					t.Errorf("message %d has the mark %v", i, mark)
				}
				got = append(got, strings.Replace(text, ":", ": ", 1))
			}
			if text := strings.ReplaceAll(strings.Join(got, "; "), ":  ", ": "); text != c.want || d.Deleted() != c.deleted {
				t.Errorf("%T: %d deleted\ngot  %s\nwant %s", c.decoder, d.Deleted(), text, c.want)
			}
			stop := errors.New("stop")
			if err := d.Parts(0, func(*stream.Record, *refuse.Error) error { return stop }); !errors.Is(err, stop) || err.Error() != "in[0]@0: stop" {
				t.Error(err)
			}
			d.Reset()
			if d.Len() != 0 || d.Deleted() != 0 {
				t.Errorf("%d messages after Reset", d.Len())
			}
		}
	}
}

// TestTogether: shards that learn at the same time, in any order, give the points and the state of one after the other.
func TestTogether(t *testing.T) {
	c := streamtest.DriftConfig()
	c.Interval, c.MaxGap, c.Pool = 1e9, 2, stream.AllSeries
	c.Shards = []engine.Constructors{{NewModel: c.NewModel}, {NewModel: c.NewModel}}
	records := streamtest.Records(600, 7)
	want, state := grouped(t, c, records, 1)
	used := 0
	c.Together = func(n int, work func(i int)) {
		used++
		for i := range n {
			work((i + used) % n)
		}
	}
	for _, every := range []int{1, 16, 100} {
		points, after := grouped(t, c, records, every)
		if points != want || string(after) != string(state) {
			t.Errorf("%d records at a time: other points or another state", every)
		}
	}
	if used == 0 {
		t.Error("the shards have never learnt together")
	}
}

// TestReferenceAlone: the skill against the reference is the same without the scores of the baselines.
func TestReferenceAlone(t *testing.T) {
	records := streamtest.Records(300, 5)
	metrics := func(alone bool) (list []string) {
		c := streamtest.DriftConfig()
		c.Evaluation.ReferenceAlone = alone
		e := streamtest.NewEngine(t, c)
		var b engine.Results
		for i := range records {
			if err := streamtest.Apply(e, &b, &records[i]); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range b.Metrics {
			if m.Model == c.Model {
				list = append(list, fmt.Sprint(m.Series.Name, m.Target, m.Horizon, m.Time, m.Score))
			} else if alone {
				t.Fatalf("%s has scores", m.Model)
			}
		}
		if err := e.Warm(e.Encoded(true)); err != nil || e.Next() != 0 {
			t.Errorf("another log begins at %d, %v", e.Next(), err)
		}
		return list
	}
	if got, want := metrics(true), metrics(false); len(want) == 0 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%d scores alone, %d with baselines, or they differ", len(got), len(want))
	}
}
