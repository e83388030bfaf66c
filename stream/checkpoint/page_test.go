package checkpoint_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// TestPage: docs/checkpoint-format.md describes the states that the engine writes. A reader
// that knows nothing but the page reads them to the last byte.
func TestPage(t *testing.T) {
	b, err := os.ReadFile("../../docs/checkpoint-format.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	version := binary.LittleEndian.Uint16(encoded(t, sample())[8:])
	if want := fmt.Sprintf("version, u16: %d\n", version); !strings.Contains(page, want) {
		t.Errorf("the page does not say %q", want)
	}
	_, layout, _ := strings.Cut(page, "<!-- layout -->\n\n")
	layout, _, _ = strings.Cut(layout, "\n\n")
	lines := strings.Split(layout, "\n")

	plain := streamtest.DriftConfig()
	plain.Lighter, plain.GrowAfter = []engine.LighterModel{{Name: "lighter", New: plain.NewModel}}, 60
	shared := streamtest.DriftConfig()
	shared.Scope = engine.Shared
	rows := streamtest.DriftConfig()
	rows.Exogenous = []string{"y1"}
	rows.Interval, rows.Assembly = 2*time.Second, &assemble.Assembly{Wait: 5 * time.Second, Fill: assemble.FillLast}
	for name, k := range map[string]struct {
		config  engine.Config
		present []string
	}{
		"series": {plain, []string{"pipeline.scope series"}},
		"shared": {shared, nil},
		"rows":   {rows, []string{"pipeline.scope series", "pipeline.assembly", "pipeline.fill", "model.exogenous"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := streamtest.NewEngine(t, k.config)
			var b engine.Results
			rs := streamtest.Records(300, 1)
			for i := range rs {
				rs[i].Names = make([]string, len(rs[i].Values))
				for j := range rs[i].Names {
					rs[i].Names[j] = "y" + strconv.Itoa(1+j)
				}
				if err := streamtest.Apply(e, &b, &rs[i]); err != nil {
					t.Fatal(err)
				}
			}
			if e.NumSeries() < 2 || len(b.DeadLetters) == 0 {
				t.Fatal("the records are too good")
			}
			r := reader{t: t, rest: streamtest.Snapshot(e), present: k.present, counts: make(map[string]int)}
			r.read(lines)
			if len(r.rest) != 0 {
				t.Errorf("%d bytes are left over", len(r.rest))
			}
			r = reader{t: t, rest: streamtest.Changes(e), present: k.present, counts: make(map[string]int)}
			r.read(lines)
			if len(r.rest) != 0 {
				t.Errorf("%d bytes of changes are left over", len(r.rest))
			}
		})
	}
}

// reader reads a state by the lines of the page.
type reader struct {
	t       *testing.T
	rest    []byte
	present []string // conditions that hold
	counts  map[string]int
}

// read reads what the lines say, which have the same indentation or more.
func (r *reader) read(lines []string) {
	depth := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && depth(lines[end]) > depth(lines[i]) {
			end++
		}
		token, _, _ := strings.Cut(strings.TrimSpace(lines[i]), "   ")
		r.line(lines[i], strings.Fields(token), lines[i+1:end])
		i = end
	}
}

func (r *reader) line(line string, token []string, inner []string) {
	switch kind := token[0]; kind {
	case "section":
		if got := string(r.take(r.Length())); got != token[1] {
			r.t.Fatalf("%q: section %q", line, got)
		}
	case "i64", "f64":
		r.Length()
	case "u8":
		if v := r.take(1)[0]; v > 1 {
			r.t.Fatalf("%q: %d", line, v)
		}
	case "text":
		r.take(r.Length())
	case "vector":
		r.take(8 * int(binary.LittleEndian.Uint32(r.take(4))))
	case "names":
		r.counts[kind] = r.Length()
		for range r.counts[kind] {
			r.take(r.Length())
		}
	case "count":
		r.counts[token[1]] = r.Length()
	case "times":
		for range r.counts[token[1]] {
			r.read(inner)
		}
	case "list":
		for range r.Length() {
			r.read(inner)
		}
	case "block":
		r.block(inner)
	case "rest":
		r.rest = nil
	case "if":
		if slices.Contains(r.present, strings.Join(token[1:], " ")) {
			r.read(inner)
		}
	default:
		r.t.Fatalf("%q: no type", line)
	}
}

// block reads a block: what the lines say of its body, and its options.
func (r *reader) block(inner []string) {
	whole := r.take(r.Length())
	body := reader{t: r.t, rest: whole, present: r.present, counts: r.counts}
	tail := reader{t: r.t, rest: whole}
	body.rest = tail.take(tail.Length())
	body.read(inner)
	if len(body.rest) != 0 {
		r.t.Fatalf("%d bytes of a block are left over", len(body.rest))
	}
	for len(tail.rest) > 0 {
		tail.take(tail.Length()) // name
		tail.block([]string{"rest"})
	}
}

func (r *reader) Length() int { return int(binary.LittleEndian.Uint64(r.take(8))) }

func (r *reader) take(n int) []byte {
	r.t.Helper()
	if n < 0 || n > len(r.rest) {
		r.t.Fatalf("want %d bytes, have %d", n, len(r.rest))
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}
