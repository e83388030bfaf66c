package faultsim

import (
	"math/rand/v2"

	"github.com/orffvar/forecaster/stream"
)

// transaction is a part of a log that a producer writes atomically. Readers wait before an undecided transaction.
type transaction struct {
	from, to int // offsets [from, to)
	aborted  bool
	decided  bool
}

// drawTransactions puts some messages into transactions, and aborts some of these. The last message always counts, so
// that the end of a log can be committed.
func (p *partition) drawTransactions(rng *rand.Rand) {
	for from := rng.IntN(10); from+1 < len(p.log); from += 1 + rng.IntN(20) {
		to := min(from+1+rng.IntN(6), len(p.log)-1)
		p.transactions = append(p.transactions, transaction{from: from, to: to, aborted: rng.IntN(2) == 0})
		from = to
	}
}

// transactionEvents lets producers decide their transactions, which may take many steps.
func (s *sim) transactionEvents(p *partition) {
	for i := range p.transactions {
		t := &p.transactions[i]
		if !t.decided && t.to <= p.end && (s.quiet() || s.step >= s.lastFault || s.rng.IntN(20) == 0 && !s.stalled(i)) {
			t.decided = true
		}
	}
}

// stalled reports whether the producer of transaction i hangs in this step. One producer in eight hangs in 99% of the
// steps.
func (s *sim) stalled(i int) bool { return i%8 == 3 && s.rng.IntN(100) > 0 }

// stable returns the offset before which messages can be read.
func (p *partition) stable(bug Bug) int {
	if bug == OpenRead {
		return p.end
	}
	for _, t := range p.transactions {
		if !t.decided && t.from < p.end {
			return t.from
		}
	}
	return p.end
}

// aborted reports whether the message at an offset belongs to an aborted transaction.
func (p *partition) aborted(offset int) bool {
	for _, t := range p.transactions {
		if t.from <= offset && offset < t.to {
			return t.aborted
		}
	}
	return false
}

// skipped reports whether a reader skips the message at an offset as aborted.
func (p *partition) skipped(offset int) bool {
	for _, t := range p.transactions {
		if t.from <= offset && offset < t.to {
			return t.aborted && t.decided
		}
	}
	return false
}

// valid returns the messages of the log that were not aborted.
func (p *partition) valid() (list []stream.Message) {
	for i := range p.log {
		if !p.aborted(i) {
			list = append(list, p.log[i])
		}
	}
	return list
}
