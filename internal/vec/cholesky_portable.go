package vec

// choleskyPortable is a left-looking factorisation by tiles. For each row of tiles, it subtracts the contribution of
// the rows above, factors the diagonal tile, and solves for the other tiles. Diagonal tiles become L^T, the others D
// L^T, and inv becomes 1/D.
func choleskyPortable(u []float64, nb int, inv []float64) {
	row := func(i int) []float64 { return u[(i*nb-i*(i-1)/2)*tileLen:] }
	for i := range nb {
		ri := row(i)
		for j := i; j < nb; j++ {
			c := (*[tileLen]float64)(ri[(j-i)*tileLen:])
			for k := range i {
				rk := row(k)
				subProduct(c, (*[tileLen]float64)(rk[(i-k)*tileLen:]), (*[tileLen]float64)(rk[(j-k)*tileLen:]), (*[tile]float64)(inv[k*tile:]))
			}
		}
		d := (*[tileLen]float64)(ri)
		factorTile(d, (*[tile]float64)(inv[i*tile:]))
		for j := i + 1; j < nb; j++ {
			solveTile((*[tileLen]float64)(ri[(j-i)*tileLen:]), d)
		}
	}
}

// subProduct sets c -= a^T diag(inv) b.
func subProduct(c, a, b *[tileLen]float64, inv *[tile]float64) {
	for k, v := range inv {
		bk := *(*[tile]float64)(b[k*tile:])
		for j := range bk {
			bk[j] *= v
		}
		for i := range tile {
			addRow((*[tile]float64)(c[i*tile:]), -a[k*tile+i], &bk)
		}
	}
}

// factorTile replaces the upper half of d by L^T, and sets inv to the reciprocals of the pivots.
func factorTile(d *[tileLen]float64, inv *[tile]float64) {
	for i := range tile {
		ri := (*[tile]float64)(d[i*tile:])
		unscaled := *ri
		inv[i] = 1 / ri[i]
		for j := range ri {
			ri[j] *= inv[i]
		}
		for k := i + 1; k < tile; k++ {
			addRow((*[tile]float64)(d[k*tile:]), -unscaled[k], ri)
		}
	}
}

// solveTile sets c = L^-1 c, where d holds L^T.
func solveTile(c, d *[tileLen]float64) {
	for i := range tile {
		for k := i + 1; k < tile; k++ {
			addRow((*[tile]float64)(c[k*tile:]), -d[i*tile+k], (*[tile]float64)(c[i*tile:]))
		}
	}
}

// choleskySolvePortable solves L D L^T X = B in place. Row i of B is rhs[i*lanes:], with lanes elements.
func choleskySolvePortable(u []float64, nb int, inv, rhs []float64) {
	at := func(I, J int) *[tileLen]float64 {
		return (*[tileLen]float64)(u[(I*nb-I*(I-1)/2+J-I)*tileLen:])
	}
	part := func(I int) *[tileLen]float64 { return (*[tileLen]float64)(rhs[I*tileLen:]) }
	row := func(b *[tileLen]float64, i int) *[tile]float64 { return (*[tile]float64)(b[i*tile:]) }
	for J := range nb {
		c := part(J)
		for I := range J {
			a, b := at(I, J), part(I)
			for k := range tile {
				for i := range tile {
					addRow(row(c, i), -a[k*tile+i], row(b, k))
				}
			}
		}
		solveTile(c, at(J, J))
		for i := range c {
			c[i] *= inv[J*tile+i/tile]
		}
	}
	for I := nb - 1; I >= 0; I-- {
		var acc [tileLen]float64
		for J := I + 1; J < nb; J++ {
			a, b := at(I, J), part(J)
			for k := range tile {
				for i := range tile {
					addRow(row(&acc, i), -a[i*tile+k], row(b, k))
				}
			}
		}
		c, d := part(I), at(I, I)
		for i := range c {
			c[i] += float64(inv[I*tile+i/tile] * acc[i])
		}
		for i := tile - 1; i >= 0; i-- {
			for k := range i {
				addRow(row(c, k), -d[k*tile+i], row(c, i))
			}
		}
	}
}

// packPortable writes row l of b, of length n, to column l of rhs. Columns without a row keep their old, finite numbers.
func packPortable(rhs, b []float64, n int) {
	for l := 0; len(b) > 0; l++ {
		for i, v := range b[:n] {
			rhs[i*lanes+l] = v
		}
		b = b[n:]
	}
}

// unpackPortable is the inverse of packPortable.
func unpackPortable(b, rhs []float64, n int) {
	for l := 0; len(b) > 0; l++ {
		for i := range b[:n] {
			b[i] = rhs[i*lanes+l]
		}
		b = b[n:]
	}
}
