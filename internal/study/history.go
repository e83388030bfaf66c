package study

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/orffvar/forecaster/internal/config"
)

// After puts the records of a history before r. It returns the joined records, their outline, and the number of rows per
// series that come from the history. If both files have one series, its names may differ.
func (r *Records) After(ctx context.Context, history *Records, c *config.Config) (joined *Records, samples *Samples, rows int, err error) {
	own, err := r.Outline(ctx, c)
	if err != nil {
		return nil, nil, 0, err
	}
	before, err := history.Outline(ctx, c)
	if err != nil {
		return nil, nil, 0, err
	}
	names := make(map[string]string) // name in the history -> name in r
	for i := range own.Series {
		s := &own.Series[i]
		b, err := sameSeries(before, own, s.Name)
		switch {
		case err != nil:
			return nil, nil, 0, err
		case !slices.Equal(b.Variables, s.Variables):
			return nil, nil, 0, fmt.Errorf("%s has not the variables of %s", history.Name, r.Name)
		case b.last >= s.first:
			return nil, nil, 0, fmt.Errorf("%s does not end before %s begins", history.Name, r.Name)
		}
		names[b.Name] = s.Name
	}
	joined = &Records{Name: r.Name, list: r.list, open: r.open, n: r.n, before: history, renamed: names}
	if samples, err = joined.Outline(ctx, c); err != nil {
		return nil, nil, 0, err
	}
	for i := range own.Series {
		s, err := sameSeries(samples, own, own.Series[i].Name)
		if err != nil {
			return nil, nil, 0, fmt.Errorf("%s has changed while it was read: %w", r.Name, err)
		}
		n := s.Len() - own.Series[i].Len()
		if i > 0 && n != rows {
			return nil, nil, 0, errors.New("the series have different numbers of rows")
		}
		rows = n
	}
	return joined, samples, rows, nil
}
