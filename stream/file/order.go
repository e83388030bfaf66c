package file

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/sniff"
)

// newestFirst reports whether the times of the first lines descend.
func (s *Source) newestFirst() bool {
	var at []int64
	for line := range bytes.Lines(s.sample()) {
		var r stream.Record
		if s.decoder.Decode(&r, &stream.Message{Key: s.key, Value: bytes.TrimSpace(line)}) == nil {
			at = append(at, r.Time)
		}
	}
	return sniff.NewestFirst(at)
}

// order reads all remaining lines into memory, sorts them by time or reverses them, and continues with the
// result.
func (s *Source) order(ctx context.Context, reverse bool) error {
	first := s.next
	reverse = reverse && s.set == nil
	lines, err := s.timedLines(ctx, !reverse)
	if err != nil {
		return err
	}
	if reverse {
		slices.Reverse(lines)
	} else {
		slices.SortStableFunc(lines, func(a, b timed) int { return cmp.Compare(a.time, b.time) })
	}
	if s.dropEqual {
		kept := withoutEqual(lines, reverse)
		if n := len(lines) - len(kept); n > 0 {
			if err := s.assume(sniff.Assumption{Text: fmt.Sprintf("equal rows left out: %d", n), Usual: true}); err != nil {
				return err
			}
		}
		lines = kept
	}
	s.goOn(first, lines)
	return nil
}

// goOn makes lines the remaining lines; first is the offset of lines[0].
func (s *Source) goOn(first int64, lines []timed) {
	var b bytes.Buffer
	for _, t := range lines {
		b.Write(t.line)
		b.WriteByte('\n')
	}
	s.next, s.lines = first, bufio.NewReaderSize(&b, sampleBytes)
}

// eachLine calls f for each remaining line.
func (s *Source) eachLine(ctx context.Context, f func()) error {
	for {
		switch err := s.readLine(ctx); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		f()
		s.line = s.line[:0]
	}
}

// timed is a line with its time.
type timed struct {
	time    int64
	line    []byte
	decoded bool
}

// timedLines returns all remaining lines; decode: with their times.
func (s *Source) timedLines(ctx context.Context, decode bool) (lines []timed, err error) {
	err = s.eachLine(ctx, func() {
		t := timed{line: bytes.TrimRight(bytes.Clone(s.line), "\r\n")}
		var r stream.Record
		if decode && s.decoder.Decode(&r, &stream.Message{Key: s.key, Value: t.line}) == nil {
			t.time, t.decoded = r.Time, true
		} else if n := len(lines); n > 0 {
			t.time = lines[n-1].time // a line that cannot be decoded keeps its place
		}
		lines = append(lines, t)
	})
	return lines, err
}

// withoutEqual drops lines that equal an earlier line of the same time.
func withoutEqual(lines []timed, reverse bool) []timed {
	at, here := int64(0), make(map[string]bool) // the lines with the time at
	return slices.DeleteFunc(slices.Clone(lines), func(t timed) bool {
		if t.time != at {
			at = t.time
			clear(here)
		}
		again := (t.decoded || reverse) && here[string(t.line)]
		here[string(t.line)] = true
		return again
	})
}
