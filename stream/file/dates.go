package file

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/orffvar/forecaster/stream/format"
)

// checkDates returns an error when the dates of a regular file show that their order is not the
// one that c tells. It reads the file a second time, until a date shows its order.
func (s *Source) checkDates(path string, c SourceConfig) error {
	d, ok := s.decoder.(*format.CSV)
	if !ok || s.live != nil {
		return nil
	}
	check := d.NewOrderCheck()
	if check == nil {
		return nil
	}
	c.asIs = true
	again, err := openAs(path, c)
	if err != nil {
		return err
	}
	defer again.Close()
	for done := false; !done; {
		err := again.readLine(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if m := again.message(); !again.isEmpty(m.Value) {
			if done, err = check.Add(m.Value); err != nil {
				return fmt.Errorf("%s: %w", m.Origin(), err)
			}
		}
		again.line = again.line[:0]
	}
	if err := check.Result(); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}
