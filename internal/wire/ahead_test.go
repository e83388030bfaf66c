package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// blocks delivers the numbers of a text as messages, so many at a time, and then an error.
type blocks struct {
	left []string
	each int
	err  error
}

func (b *blocks) Read(_ context.Context, dst []stream.Message) (n int, err error) {
	for n < min(b.each, len(dst), len(b.left)) {
		dst[n] = stream.Message{Value: []byte(b.left[n])}
		n++
	}
	b.left = b.left[n:]
	if n == 0 {
		return 0, b.err
	}
	return n, nil
}

func (*blocks) Close() error { return nil }

// numbers decodes them; it refuses "x", and fails at "bad".
type numbers struct{}

var errDecoder = errors.New("of the decoder")

func (numbers) Decode(r *stream.Record, m *stream.Message) error {
	var v float64
	switch _, err := fmt.Sscan(string(m.Value), &v); {
	case string(m.Value) == "bad":
		return errDecoder
	case err != nil:
		return &refuse.Error{Reason: refuse.Malformed}
	}
	*r = stream.Record{Message: m, Series: "s", Time: int64(v), Names: []string{"u"}, Values: []float64{v}}
	return nil
}

// pieces decodes each message as the numbers between its commas.
type pieces struct {
	numbers
	message stream.Message
	left    []string
}

func (p *pieces) Split(m *stream.Message) { p.left = strings.Split(string(m.Value), ",") }

func (p *pieces) Next(r *stream.Record) error {
	if len(p.left) == 0 {
		return io.EOF
	}
	p.message = stream.Message{Value: []byte(p.left[0])}
	p.left = p.left[1:]
	return p.Decode(r, &p.message)
}

// The inputs of the messages that lie at most rows ahead come before each message, once and in order; then its own records, of
// which some may be refused. An error of the source or of the decoder follows the records read before it.
func TestInputsComeSoFarAhead(t *testing.T) {
	errSource := errors.New("of the source")
	for _, c := range []struct {
		messages string
		each     int // messages of a block of the source
		err      error
		decoder  func() stream.Decoder
		want     string
	}{
		{"1 2 3 4", 1, io.EOF, func() stream.Decoder { return numbers{} }, "[>1 >2 >3 1] [>4 2] [3] [4] EOF"},
		{"1 2 3 4", 9, io.EOF, func() stream.Decoder { return numbers{} }, "[>1 >2 >3 >4 1] [2] [3] [4] EOF"},
		{"1 x 3 4", 1, io.EOF, func() stream.Decoder { return numbers{} }, "[>1 >3 1] [>4 refused] [3] [4] EOF"},
		{"1,2 3,x 5", 1, io.EOF, func() stream.Decoder { return new(pieces) }, "[>1 >2 >3 >5 1 2] [3 refused] [5] EOF"},
		{"1 2 3 bad", 1, io.EOF, func() stream.Decoder { return numbers{} }, "[>1 >2 >3 1] of the decoder"},
		{"1 2 3 4", 1, errSource, func() stream.Decoder { return numbers{} }, "[>1 >2 >3 1] [>4 2] of the source"},
		{"", 1, io.EOF, func() stream.Decoder { return numbers{} }, "EOF"},
	} {
		a := &inputsAhead{Source: &blocks{strings.Fields(c.messages), c.each, c.err}, decoder: c.decoder(), scout: c.decoder(), rows: 2}
		var got []string
		for {
			one := make([]stream.Message, 1)
			if _, err := a.Read(t.Context(), one); err != nil {
				if errors.Is(err, errDecoder) { // which the place precedes
					err = errDecoder
				}
				got = append(got, err.Error())
				break
			}
			var all []string
			a.Split(&one[0])
			for {
				var r stream.Record
				err := a.Next(&r)
				var refused *refuse.Error
				switch {
				case errors.Is(err, io.EOF):
				case errors.As(err, &refused):
					all = append(all, "refused")
				case err != nil:
					t.Fatal(err)
				case r.Ahead:
					all = append(all, fmt.Sprint(">", r.Values[0]))
				default:
					all = append(all, fmt.Sprint(r.Values[0]))
				}
				if errors.Is(err, io.EOF) {
					break
				}
			}
			got = append(got, fmt.Sprint(all))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%q, %d at a time: %s, want %s", c.messages, c.each, text, c.want)
		}
	}
}

// Inputs that are known ahead come before the rows that are forecast; the rows follow in their order.
func TestInputsAhead(t *testing.T) {
	for name, text := range map[string]string{
		"in.csv":   "time,x,price\n2026-01-01T00:00:00Z,1,10\n2026-01-01T00:01:00Z,2,20\n2026-01-01T00:02:00Z,3,30\n",
		"in.jsonl": `{"time":"2026-01-01T00:00:00Z","values":{"x":1,"price":10}}` + "\n" + `{"time":"2026-01-01T00:01:00Z","values":{"x":2,"price":20}}` + "\n" + `{"time":"2026-01-01T00:02:00Z","values":{"x":3,"price":30}}` + "\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, known := range []bool{false, true} {
			cfg, err := loaded(t, "", "input.file.path="+path, "output.discard={}", "model.type=var1", "model.exogenous=price")
			if err != nil {
				t.Fatal(err)
			}
			src, err := OpenFile(cfg)
			if err != nil {
				t.Fatal(err)
			}
			source, decoder := Messages(src, cfg.Model, known)
			var got []string
			eachMessage(t, source, 2, func(m *stream.Message) { got = append(got, decoded(t, decoder, m)...) })
			want := []string{"1 false", "2 false", "3 false"}
			if known {
				want = slices.Concat([]string{"1 true", "2 true", "3 true"}, want)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, known ahead %v: %q, want %q", name, known, got, want)
			}
			if err := src.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// eachMessage reads all messages of a source, so many at a time.
func eachMessage(t *testing.T, source stream.Source, size int, f func(*stream.Message)) {
	t.Helper()
	messages := make([]stream.Message, size)
	for {
		n, err := source.Read(t.Context(), messages)
		for i := range n {
			f(&messages[i])
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// decoded are the first values of the records of a message, and whether they are known ahead.
func decoded(t *testing.T, d stream.Decoder, m *stream.Message) (all []string) {
	t.Helper()
	splitter, several := d.(stream.Splitter)
	if several {
		splitter.Split(m)
	}
	for {
		var r stream.Record
		var err error
		if several {
			if err = splitter.Next(&r); errors.Is(err, io.EOF) {
				return all
			}
		} else {
			err = d.Decode(&r, m)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(r.Values[slices.Index(r.Names, "x")], r.Ahead))
		if !several {
			return all
		}
	}
}
