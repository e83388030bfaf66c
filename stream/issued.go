package stream

import (
	"slices"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// issued are the forecasts of a series whose target times may still lie ahead. While
// the spacing is estimated, and the estimate shrinks, a later forecast of a horizon can
// have the target time of an earlier one: the earlier one stands, so that no point
// is ever written with two values.
type issued []issuedAt

// issuedAt is when forecasts were issued, and with which spacing.
type issuedAt struct {
	time    int64
	spacing spacing
}

// target returns the target time of a horizon, or the end of time.
func (o issuedAt) target(h int) int64 { return o.spacing.after(o.time, h) }

// maxIssued bounds the number of origins for a largest horizon. It is reached only by
// times without any regularity; no forecast is issued then.
func maxIssued(horizon int) int { return 4*horizon + 100 }

// add reports whether there is room for a new origin, and takes it into account.
func (s *issued) add(o issuedAt, horizon int) bool {
	*s = slices.DeleteFunc(*s, func(old issuedAt) bool { return old.target(horizon) <= o.time })
	if len(*s) == maxIssued(horizon) {
		return false
	}
	*s = append(*s, o)
	return true
}

// taken reports whether an origin before o has the same target time. Origins ascend,
// so only one with a larger spacing can.
func (s issued) taken(o issuedAt, h int) bool {
	at := o.target(h)
	for _, old := range s {
		if old.spacing.length() > o.spacing.length() && old.target(h) == at {
			return true
		}
	}
	return false
}

func (s *issued) state(c *snapshot.Codec, horizon int) {
	n := len(*s)
	c.Len(&n, maxIssued(horizon))
	if c.Decoding() {
		*s = make(issued, n)
	}
	for i := range *s {
		c.Int64(&(*s)[i].time)
		c.Int64((*int64)(&(*s)[i].spacing))
	}
}
