package vec

// strips are rows of tiles of a Sym: n of them from first on.
type strips struct{ first, n int }

// stripAt returns the index of the first element of a strip of nb strips.
func stripAt(nb, strip int) int { return (strip*nb - strip*(strip-1)/2) * tileLen }

// SymHalvesFrom is the size in bytes from which two goroutines share a product: what is
// larger than the second level cache of a core waits for the memory behind it.
const SymHalvesFrom = 2 << 20

// halves is the product of a Sym by two goroutines. Each goes over half of the
// elements, always the same half, and so finds them in the caches of its core. Which
// half an element belongs to and the order of all sums are fixed: the result is the
// same bits whether there is a second core or not.
type halves struct {
	first, second strips
	y             []float64 // what the second adds to the product

	in             []float64 // of the product in work
	subtract, back bool
	run            func() // the second half; kept, so that go allocates nothing
	done           chan struct{}
}

func newHalves(s *Sym) *halves {
	h := &halves{y: aligned(len(s.y)), done: make(chan struct{}, 1)}
	for stripAt(s.nb, h.first.n) < len(s.tiles)/2 {
		h.first.n++
	}
	h.second = strips{h.first.n, s.nb - h.first.n}
	h.run = func() {
		clear(h.y)
		s.pass(h.second, h.y, h.in, h.subtract, h.back)
		h.done <- struct{}{}
	}
	return h
}

// product adds the product of the tiles of s with in to s.y, see Sym.pass.
func (h *halves) product(s *Sym, in []float64, subtract, back bool) {
	h.in, h.subtract, h.back = in, subtract, back
	go h.run()
	s.pass(h.first, s.y, in, subtract, back)
	<-h.done
	h.in = nil
	Axpy(1, h.y, s.y)
}
