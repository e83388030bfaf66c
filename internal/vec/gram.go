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

// Set sets elements (i, j) and (j, i).
func (s *Sym) Set(i, j int, v float64) {
	if i < 0 || j < 0 || i >= s.n || j >= s.n {
		panic("vec: Sym: index out of range")
	}
	s.flush()
	if s.scale != 1 {
		Scale(s.scale, s.tiles)
		s.scale = 1
	}
	i, j = min(i, j), max(i, j)
	at := s.at(i, j)
	s.tiles[at] = v
	if i/tile == j/tile { // on the diagonal a tile has both
		s.tiles[at+(j-i)*(tile-1)] = v
	}
}
