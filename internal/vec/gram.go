package vec

// Stride is the order of the matrix rounded up to whole tiles: the length of the
// rows of AddRows.
func (s *Sym) Stride() int { return s.nb * tile }

// AddRows multiplies the matrix by decay > 0 and adds X^T X, where X is
// k x Stride(), row-major and zero beyond the order, in one pass over the
// elements.
func (s *Sym) AddRows(decay float64, x []float64) {
	if s.n == 0 {
		return
	}
	m := s.Stride()
	if len(x)%m != 0 {
		panic("vec: Sym: length is no multiple of the stride")
	}
	s.flush()
	s.scale *= decay
	if s.scale != 1 {
		Scale(s.scale, s.tiles)
		s.scale = 1
	}
	if len(x) > 0 {
		symRank(s.tiles, s.nb, x, len(x)/m, false)
	}
}
