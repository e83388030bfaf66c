package vec

import "math"

// A left-looking factorisation by tiles: row by row of tiles, first subtract
// what the rows above contribute, then factor the diagonal tile, then solve for
// the others.
func choleskyPortable(u []float64, nb int, inv []float64) {
	row := func(i int) []float64 { return u[(i*nb-i*(i-1)/2)*tileLen:] }
	for i := range nb {
		ri := row(i)
		for j := i; j < nb; j++ {
			c := (*[tileLen]float64)(ri[(j-i)*tileLen:])
			for k := range i {
				rk := row(k)
				subTMul(c, (*[tileLen]float64)(rk[(i-k)*tileLen:]), (*[tileLen]float64)(rk[(j-k)*tileLen:]))
			}
		}
		d := (*[tileLen]float64)(ri)
		v := (*[tile]float64)(inv[i*tile:])
		factorTile(d, v)
		for j := i + 1; j < nb; j++ {
			solveTile((*[tileLen]float64)(ri[(j-i)*tileLen:]), d, v)
		}
	}
}

// subTMul sets c -= a^T b.
func subTMul(c, a, b *[tileLen]float64) {
	for k := 0; k < tileLen; k += tile {
		bk := (*[tile]float64)(b[k:])
		for i := range tile {
			f := a[k+i]
			ci := (*[tile]float64)(c[i*tile:])
			for j := range ci {
				ci[j] -= float64(f * bk[j])
			}
		}
	}
}

// factorTile replaces the upper half of d by its Cholesky factor and sets inv
// to the reciprocals of the diagonal.
func factorTile(d *[tileLen]float64, inv *[tile]float64) {
	for i := range tile {
		v := 1 / math.Sqrt(d[i*tile+i])
		inv[i] = v
		for j := i; j < tile; j++ {
			d[i*tile+j] *= v
		}
		for k := i + 1; k < tile; k++ {
			f := d[i*tile+k]
			for j := k; j < tile; j++ {
				d[k*tile+j] -= float64(f * d[i*tile+j])
			}
		}
	}
}

// solveTile sets c = U^-T c, where d holds U.
func solveTile(c, d *[tileLen]float64, inv *[tile]float64) {
	for i := range tile {
		ci := (*[tile]float64)(c[i*tile:])
		for j := range ci {
			ci[j] *= inv[i]
		}
		for k := i + 1; k < tile; k++ {
			f := d[i*tile+k]
			ck := (*[tile]float64)(c[k*tile:])
			for j := range ck {
				ck[j] -= float64(f * ci[j])
			}
		}
	}
}

// choleskySolvePortable solves U^T U X = B in place; row i of B, of lanes
// elements, is rhs[i*lanes:].
func choleskySolvePortable(u []float64, nb int, inv, rhs []float64) {
	m := nb * tile
	at := func(i, j int) int {
		I, J := i/tile, j/tile
		return (I*nb-I*(I-1)/2+J-I)*tileLen + i%tile*tile + j%tile
	}
	for i := range m {
		xi := (*[lanes]float64)(rhs[i*lanes:])
		for l := range xi {
			xi[l] *= inv[i]
		}
		for j := i + 1; j < m; j++ {
			subRow((*[lanes]float64)(rhs[j*lanes:]), u[at(i, j)], xi)
		}
	}
	for i := m - 1; i >= 0; i-- {
		xi := (*[lanes]float64)(rhs[i*lanes:])
		for j := i + 1; j < m; j++ {
			subRow(xi, u[at(i, j)], (*[lanes]float64)(rhs[j*lanes:]))
		}
		for l := range xi {
			xi[l] *= inv[i]
		}
	}
}

func subRow(y *[lanes]float64, a float64, x *[lanes]float64) {
	for l := range y {
		y[l] -= float64(a * x[l])
	}
}

// packPortable writes the rows of b, each of length n, into the lanes of rhs.
// Lanes without a row get anything finite.
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
