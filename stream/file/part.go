package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/orffvar/forecaster/stream"
)

// keepLast reads the rest of the file, and continues with its last n lines of data.
func (s *Source) keepLast(ctx context.Context, n int) error {
	var kept []timed // decoded: a line of data
	first, data := s.next, 0
	err := s.eachLine(ctx, func() {
		m := s.message()
		l := timed{line: bytes.Clone(m.Value), decoded: !s.isEmpty(m.Value)}
		kept = append(kept, l)
		if l.decoded {
			data++
		}
		for ; data > n; kept, first = kept[1:], first+1 {
			if kept[0].decoded {
				data--
			}
		}
	})
	if err != nil {
		return err
	}
	s.goOn(first, kept)
	return nil
}

// part drops messages whose records are all earlier than since.
type part struct {
	since   int64
	decoder stream.Decoder
	some    bool // a message was not dropped
}

// has reports whether a message belongs to the part. A message that cannot be decoded does, so that its refusal
// is reported.
func (p *part) has(m *stream.Message) bool {
	has := p.late(m)
	p.some = p.some || has
	return has
}

func (p *part) late(m *stream.Message) bool {
	some := false
	for r, err := range records(p.decoder, m) {
		if some = true; err != nil || r.Time >= p.since {
			return true
		}
	}
	return !some
}

// records yields the records of a message, each with the error that refuses it, or nil.
func records(decoder stream.Decoder, m *stream.Message) iter.Seq2[*stream.Record, error] {
	return func(yield func(*stream.Record, error) bool) {
		var r stream.Record
		splitter, splits := decoder.(stream.Splitter)
		if !splits {
			yield(&r, decoder.Decode(&r, m))
			return
		}
		splitter.Split(m)
		for {
			err := splitter.Next(&r)
			if errors.Is(err, io.EOF) || !yield(&r, err) {
				return
			}
		}
	}
}

// none returns the error of a file whose rows are all earlier than since.
func (p *part) none(path string) error {
	return fmt.Errorf("%s: no row is of %s or later", path, time.Unix(0, p.since).UTC().Format(time.RFC3339))
}

// keepPart drops the lines that c.Last and c.Since exclude.
func (s *Source) keepPart(c SourceConfig) error {
	if c.Last > 0 && s.live != nil {
		return fmt.Errorf("%s: only a regular file has last lines", s.path)
	}
	if c.Since != 0 {
		s.part = &part{since: c.Since, decoder: s.Decoder()}
	}
	if c.Last > 0 {
		return s.keepLast(context.Background(), c.Last)
	}
	return nil
}
