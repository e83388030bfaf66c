package vec

// symRankPortable adds sum_k w_k w_k^T to the tiles, or subtracts it.
func symRankPortable(t []float64, nb int, w []float64, terms int, minus bool) {
	m := nb * tile
	sign := 1.
	if minus {
		sign = -1
	}
	for i := 0; i < m; i += tile {
		for j := i; j < m; j += tile {
			for r := range tile {
				a := (*[tile]float64)(t[r*tile:])
				a0, a1, a2, a3, a4, a5, a6, a7 := a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]
				for k := 0; k < terms*m; k += m {
					v, u := sign*w[k+i+r], (*[tile]float64)(w[k+j:])
					a0 += float64(v * u[0])
					a1 += float64(v * u[1])
					a2 += float64(v * u[2])
					a3 += float64(v * u[3])
					a4 += float64(v * u[4])
					a5 += float64(v * u[5])
					a6 += float64(v * u[6])
					a7 += float64(v * u[7])
				}
				*a = [tile]float64{a0, a1, a2, a3, a4, a5, a6, a7}
			}
			t = t[tileLen:]
		}
	}
}

// symMatVecPortable adds T x to y by rows of tiles, from the last row if back is set. A tile beside the diagonal is used
// twice: also as its transpose.
func symMatVecPortable(t []float64, nb int, y, x []float64, back bool) {
	for k := range nb {
		I := k
		if back {
			I = nb - 1 - k
		}
		i := I * tile
		row := t[(I*nb-I*(I-1)/2)*tileLen:]
		var acc [tile]float64
		for j := i; j < nb*tile; j += tile {
			xj, a := (*[tile]float64)(x[j:]), (*[tileLen]float64)(row)
			if j == i {
				for r := range tile {
					acc[r] = dot8((*[tile]float64)(a[r*tile:]), xj)
				}
			} else {
				xi, yj := (*[tile]float64)(x[i:]), (*[tile]float64)(y[j:])
				halfTile((*[4]float64)(acc[:4]), (*[4]float64)(xi[:4]), xj, yj, (*[tileLen / 2]float64)(a[:tileLen/2]))
				halfTile((*[4]float64)(acc[4:]), (*[4]float64)(xi[4:]), xj, yj, (*[tileLen / 2]float64)(a[tileLen/2:]))
			}
			row = row[tileLen:]
		}
		for r, v := range acc {
			y[i+r] += v
		}
	}
}

// halfTile adds A x to acc and A^T xi to y, where A is four rows of a tile.
func halfTile(acc, xi *[4]float64, x, y *[tile]float64, a *[tileLen / 2]float64) {
	s0, s1, s2, s3 := acc[0], acc[1], acc[2], acc[3]
	x0, x1, x2, x3 := xi[0], xi[1], xi[2], xi[3]
	for c, v := range x {
		a0, a1, a2, a3 := a[c], a[c+tile], a[c+2*tile], a[c+3*tile]
		s0 += float64(a0 * v)
		s1 += float64(a1 * v)
		s2 += float64(a2 * v)
		s3 += float64(a3 * v)
		y[c] = y[c] + float64(x0*a0) + float64(x1*a1) + float64(x2*a2) + float64(x3*a3)
	}
	acc[0], acc[1], acc[2], acc[3] = s0, s1, s2, s3
}

// symSubMatVecPortable subtracts sum_k w_k w_k^T from the tiles and adds T x to y.
func symSubMatVecPortable(t []float64, nb int, y, x, w []float64, terms int, back bool) {
	symRankPortable(t, nb, w, terms, true)
	symMatVecPortable(t, nb, y, x, back)
}

// addRow sets y += a x.
func addRow(y *[tile]float64, a float64, x *[tile]float64) {
	y[0] += float64(a * x[0])
	y[1] += float64(a * x[1])
	y[2] += float64(a * x[2])
	y[3] += float64(a * x[3])
	y[4] += float64(a * x[4])
	y[5] += float64(a * x[5])
	y[6] += float64(a * x[6])
	y[7] += float64(a * x[7])
}

func dot8(a, b *[tile]float64) float64 {
	s0 := float64(a[0]*b[0]) + float64(a[4]*b[4])
	s1 := float64(a[1]*b[1]) + float64(a[5]*b[5])
	s2 := float64(a[2]*b[2]) + float64(a[6]*b[6])
	s3 := float64(a[3]*b[3]) + float64(a[7]*b[7])
	return (s0 + s2) + (s1 + s3)
}
