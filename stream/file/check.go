package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// lineCheck examines the lines of a file before a model learns from them.
type lineCheck interface {
	// Add examines a line. done: no further line is needed.
	Add(m *stream.Message) (done bool, err error)
	// Result returns the error that all lines together show.
	Result() error
}

// checkLines returns an error when later lines of a regular file contradict the order of dates in c, or have
// numbers in a form that the first lines do not show. It reads the file a second time, up to the line that
// decides the last open question.
func (s *Source) checkLines(path string, c SourceConfig) error {
	d, ok := s.decoder.(*format.CSV)
	if !ok || s.live != nil {
		return nil
	}
	var all []lineCheck
	if order := d.NewOrderCheck(); order != nil {
		all = append(all, order)
	}
	if points := d.NewPointCheck(); points != nil {
		all = append(all, points)
	}
	if len(all) == 0 {
		return nil
	}
	c.asIs = true
	again, err := openAll(path, c)
	if err != nil {
		return err
	}
	defer again.Close()
	for open := slices.Clone(all); len(open) > 0; {
		err := again.readLine(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if m := again.message(); !again.isEmpty(m.Value) {
			open = slices.DeleteFunc(open, func(check lineCheck) bool {
				done, wrong := check.Add(&m)
				if wrong != nil && err == nil {
					err = fmt.Errorf("%s: %w", m.Origin(), wrong)
				}
				return done
			})
			if err != nil {
				return err
			}
		}
		again.line = again.line[:0]
	}
	for _, check := range all {
		if err := check.Result(); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
	}
	return nil
}
