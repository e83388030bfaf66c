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

// keepLast goes on with the last n lines of data, which it holds.
func (s *Source) keepLast(ctx context.Context, n int) error {
	var kept []timed // decoded means that it is a line of data
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

// part leaves out messages all of whose records are of an earlier time than since.
type part struct {
	since   int64
	decoder stream.Decoder
	some    bool // it has a message
}

// has reports whether a message belongs to the part. One that cannot be decoded does: what refuses it
// says why.
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

// records are the records of a message, with the errors of those that are refused.
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

// none is the error of a file all of whose rows are earlier.
func (p *part) none(path string) error {
	return fmt.Errorf("%s: no row is of %s or later", path, time.Unix(0, p.since).UTC().Format(time.RFC3339))
}

// keepPart leaves out what c does not ask for.
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
