package delivery

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/orffvar/forecaster/stream/checkpoint"
)

// Positions implements checkpoint.Positioner. The checkpoint contains the unsettled lines, so that they survive if
// this process and the server end together.
func (s *Sink) Positions() checkpoint.Positions {
	s.busy.Lock()
	defer s.busy.Unlock()
	if len(s.settling.kept) == 0 {
		return nil
	}
	var b strings.Builder
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	for _, k := range s.settling.kept {
		if err == nil {
			_, err = w.Write(k.lines)
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		panic("delivery: " + err.Error()) // a write to memory never fails
	}
	return checkpoint.Positions{{Output: s.config.Name, Unsettled: b.String()}}
}

// Resume implements checkpoint.Positioner. It sends the unsettled lines of the checkpoint, with the next request or
// by a timer.
func (s *Sink) Resume(at checkpoint.Positions) error {
	text := at.UnsettledOf(s.config.Name)
	if text == "" {
		return nil
	}
	lines, err := io.ReadAll(flate.NewReader(strings.NewReader(text)))
	if err != nil {
		return fmt.Errorf("the checkpoint's points of %s: %w", s.config.Name, err)
	}
	s.busy.Lock()
	defer s.busy.Unlock()
	for len(lines) > 0 {
		var part []byte
		part, lines = cut(lines, s.size)
		s.settling.kept = append(s.settling.kept, accepted{bytes.Clone(part), time.Now()})
		s.settling.bytes += len(part)
	}
	s.settling.again = len(s.settling.kept)
	s.count()
	s.whenIdle()
	return nil
}
