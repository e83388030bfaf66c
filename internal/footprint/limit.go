package footprint

import "errors"

// reserved is the address space that a Go process takes beside its heap: most of it is never used.
const reserved = 768 << 20

// errUnlimited: the system sets no limit.
var errUnlimited = errors.New("footprint: no limit")

// WithinAddressSpace returns a provider of a limit of memory that is also within the limit of the address
// space (ulimit -v): beyond it Go ends the process without a word of ours.
func WithinAddressSpace(provider func() (uint64, error)) func() (uint64, error) {
	return within(addressSpace, provider)
}

func within(addressSpace, provider func() (uint64, error)) func() (uint64, error) {
	return func() (uint64, error) {
		limit, err := provider()
		space, spaceErr := addressSpace()
		if spaceErr != nil { // no limit
			return limit, err
		}
		if space <= 2*reserved {
			space /= 4 // what the process does is small, or impossible
		} else {
			space -= reserved
		}
		if err == nil {
			space = min(space, limit)
		}
		return space, nil
	}
}
