package vec

// Stride returns n rounded up to whole tiles: the row length for AddRows.
func (s *Sym) Stride() int { return s.nb * tile }

// settle adds all collected terms to the elements, and sets scale to 1.
func (s *Sym) settle() {
	s.flush()
	if s.scale != 1 {
		Scale(s.scale, s.tiles)
		s.scale = 1
	}
}

// AddRows sets S = decay S + X^T X, decay > 0, in one pass over the elements. X is k x Stride(), and zero beyond column
// n.
func (s *Sym) AddRows(decay float64, x []float64) {
	if s.n == 0 {
		return
	}
	m := s.Stride()
	if len(x)%m != 0 {
		panic("vec: Sym: length is no multiple of the stride")
	}
	s.scale *= decay
	s.settle()
	if len(x) > 0 {
		symRank(s.tiles, s.nb, x, len(x)/m, false)
	}
}

// Add sets S += alpha O, where O has the same order.
func (s *Sym) Add(alpha float64, o *Sym) {
	if s.n != o.n {
		panic("vec: Sym: orders differ")
	}
	s.settle()
	o.flush()
	if s.n > 0 {
		Axpy(alpha*o.scale, o.tiles, s.tiles)
	}
}

// Set sets elements (i, j) and (j, i).
func (s *Sym) Set(i, j int, v float64) {
	if i < 0 || j < 0 || i >= s.n || j >= s.n {
		panic("vec: Sym: index out of range")
	}
	s.settle()
	i, j = min(i, j), max(i, j)
	at := s.at(i, j)
	s.tiles[at] = v
	if i/tile == j/tile { // a tile on the diagonal has both elements
		s.tiles[at+(j-i)*(tile-1)] = v
	}
}

// SetLower sets all elements, given the lower half by rows, whose elements are stride apart.
func (s *Sym) SetLower(lower []float64, stride int) {
	s.scale, s.terms = 1, 0
	for i, at := 0, 0; i < s.n; i++ {
		k := 0
		for j := range i + 1 {
			if k += tile; j%tile == 0 {
				k = s.at(j, i)
			}
			s.tiles[k] = lower[at]
			if j/tile == i/tile { // a tile on the diagonal has both elements
				s.tiles[k+(i-j)*(tile-1)] = lower[at]
			}
			at += stride
		}
	}
}

// Len returns the number of elements that Widen reads and NarrowTo writes.
func (s *Sym) Len() int { return len(s.tiles) }

// Widen sets S to elements, which NarrowTo wrote.
func (s *Sym) Widen(elements []float32) {
	s.terms, s.scale = 0, 1
	Widen(s.tiles, elements)
}

// NarrowTo writes the elements, rounded to 32 bits, in their order in memory.
func (s *Sym) NarrowTo(dst []float32) {
	s.settle()
	Narrow(dst, s.tiles)
}
