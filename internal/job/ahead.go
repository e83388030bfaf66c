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

// aheadRows is how many rows inputs are ahead of the samples, at least: those of all
// series count.
const aheadRows = 4096

// knownInputs returns the rows of a file with their inputs delivered ahead, and the
// number of messages that are there twice by it.
func knownInputs(src *file.Source, m config.Model) (stream.Source, stream.Decoder, func() int64) {
	ahead := &inputsAhead{Source: src, rows: max(aheadRows, m.Horizon)}
	return ahead, &inputsAlone{src.Decoder(), m.Exogenous}, func() int64 { return ahead.twice }
}

// inputsAhead delivers each row of a file twice: its inputs so many rows before
// the row itself.
type inputsAhead struct {
	stream.Source
	rows  int
	queue []stream.Message // rows whose inputs were delivered
	ended bool
	next  int64 // offset
	twice int64 // rows delivered so far whose inputs came before
}

// alone, in the place of the partition, marks a message that has the inputs.
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

// Decode implements stream.Decoder. What is wrong with a message is said when its
// row comes.
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
