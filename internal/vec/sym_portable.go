package vec

// symRankPortable adds sum_k w_k w_k^T to the tiles, or subtracts it.
func symRankPortable(t []float64, nb int, w []float64, terms int, minus bool) {
	m := nb * tile
	for i := 0; i < m; i += tile {
		for j := i; j < m; j += tile {
			a := (*[tileLen]float64)(t)
			for k := 0; k < terms*m; k += m {
				wj := (*[tile]float64)(w[k+j:])
				for r, v := range w[k+i : k+i+tile] {
					if minus {
						v = -v
					}
					addRow((*[tile]float64)(a[r*tile:]), v, wj)
				}
			}
			t = t[tileLen:]
		}
	}
}

// symMatVecPortable adds T x to y by rows of tiles, from the last row if back is set. A
// tile beside the diagonal stands for itself and for its transpose.
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
			xj, yj := (*[tile]float64)(x[j:]), (*[tile]float64)(y[j:])
			for r := range tile {
				v := (*[tile]float64)(row[r*tile:])
				acc[r] += dot8(v, xj)
				if j > i {
					addRow(yj, x[i+r], v)
				}
			}
			row = row[tileLen:]
		}
		for r, v := range acc {
			y[i+r] += v
		}
	}
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
