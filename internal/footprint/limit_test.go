package footprint

import (
	"errors"
	"testing"
)

// The limit of memory is the smaller of two: the memory of the machine, and the address space less the reserve, or a
// quarter of a small address space.
func TestWithin(t *testing.T) {
	const none = 0 // no limit is known
	unknown := errors.New("unknown")
	provider := func(limit uint64) func() (uint64, error) {
		return func() (uint64, error) {
			if limit == none {
				return 0, unknown
			}
			return limit, nil
		}
	}
	for _, c := range []struct{ space, memory, want uint64 }{
		{none, none, none},
		{none, 5 << 30, 5 << 30},
		{4 << 30, none, 4<<30 - reserved},
		{4 << 30, 8 << 30, 4<<30 - reserved},
		{4 << 30, 1 << 30, 1 << 30},
		{2*reserved + 4, none, reserved + 4},
		{2 * reserved, none, reserved / 2},
		{400 << 20, 50 << 20, 50 << 20},
		{400 << 20, 500 << 20, 100 << 20},
	} {
		got, err := within(provider(c.space), provider(c.memory))()
		if got != c.want || (err != nil) != (c.want == none) {
			t.Errorf("address space %d, memory %d: %d, want %d; error %v", c.space, c.memory, got, c.want, err)
		}
	}
}
