package job

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/orffvar/forecaster/stream"
)

// AheadRows is how many rows inputs are ahead of the samples, at least: those of all
// series count.
const AheadRows = 4096

// InputsAhead delivers each row of a file twice: its inputs so many rows before
// the row itself.
type InputsAhead struct {
	stream.Source
	Rows  int
	queue []stream.Message // rows whose inputs were delivered
	ended bool
	next  int64 // offset
	Twice int64 // rows delivered so far whose inputs came before
}

// alone, in the place of the partition, marks a message that has the inputs.
const alone = -2

// Read implements stream.Source.
func (s *InputsAhead) Read(ctx context.Context, dst []stream.Message) (n int, err error) {
	for n < len(dst) {
		switch {
		case !s.ended && len(s.queue) < s.Rows:
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
			s.Twice++
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

// InputsAlone decodes the messages of an InputsAhead.
type InputsAlone struct {
	stream.Decoder
	Exogenous []string
}

// Decode implements stream.Decoder. What is wrong with a message is said when its
// row comes.
func (d *InputsAlone) Decode(r *stream.Record, m *stream.Message) error {
	err := d.Decoder.Decode(r, m)
	if m.Partition != alone {
		return err
	}
	names, values := []string{d.Exogenous[0]}, []float64{math.NaN()}
	if err == nil {
		for j, name := range r.Names {
			if slices.Contains(d.Exogenous, name) {
				names, values = append(names, name), append(values, r.Values[j])
			}
		}
	}
	r.Names, r.Values = names, values
	return nil
}
