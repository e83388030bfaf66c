package job

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
)

// aheadRows is the least number of rows, of all series together, by which inputs are
// ahead of their samples.
const aheadRows = 4096

// knownInputs returns the rows of a file with their exogenous inputs delivered ahead,
// and a function that counts the additional messages.
func knownInputs(src *file.Source, m config.Model) (stream.Source, stream.Decoder, func() int64) {
	ahead := &inputsAhead{Source: src, rows: max(aheadRows, m.Horizon)}
	return ahead, &inputsAlone{src.Decoder(), m.Exogenous}, func() int64 { return ahead.twice }
}

// inputsAhead delivers each row of a file twice: first its inputs, then, that many rows
// later, the row itself.
type inputsAhead struct {
	stream.Source
	rows  int
	queue []stream.Message // rows whose inputs were delivered
	ended bool
	next  int64 // offset
	twice int64 // rows delivered whose inputs were delivered before
}

// alone stands in Partition of a message that delivers inputs only.
const alone = -2

// Read implements stream.Source.
func (s *inputsAhead) Read(ctx context.Context, dst []stream.Message) (n int, err error) {
	for n < len(dst) {
		switch {
		case !s.ended && len(s.queue) < s.rows:
			var one [1]stream.Message
			k, err := s.Source.Read(ctx, one[:])
			if err != nil && !errors.Is(err, io.EOF) {
				return n, err
			}
			s.ended = err != nil
			if k == 0 {
				continue
			}
			one[0].Key, one[0].Value = slices.Clone(one[0].Key), slices.Clone(one[0].Value)
			s.queue = append(s.queue, one[0])
			dst[n] = one[0]
			dst[n].Partition = alone
		case len(s.queue) > 0:
			dst[n] = s.queue[0]
			s.queue = s.queue[1:]
			s.twice++
		case n > 0:
			return n, nil
		default:
			return 0, io.EOF
		}
		dst[n].Offset = s.next
		s.next++
		n++
	}
	return n, nil
}

// inputsAlone decodes the messages of an inputsAhead.
type inputsAlone struct {
	stream.Decoder
	exogenous []string
}

// Decode implements stream.Decoder. A malformed message is refused when its row comes.
func (d *inputsAlone) Decode(r *stream.Record, m *stream.Message) error {
	err := d.Decoder.Decode(r, m)
	if m.Partition != alone {
		return err
	}
	names, values := []string{d.exogenous[0]}, []float64{math.NaN()}
	if err == nil {
		for j, name := range r.Names {
			if slices.Contains(d.exogenous, name) {
				names, values = append(names, name), append(values, r.Values[j])
			}
		}
	}
	r.Names, r.Values = names, values
	return nil
}
