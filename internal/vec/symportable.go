package vec

// symRank1Portable adds g w^T to the tiles.
func symRank1Portable(t []float64, nb int, g, w []float64) {
	for i := 0; i < nb*tile; i += tile {
		for j := i; j < nb*tile; j += tile {
			wj := (*[tile]float64)(w[j:])
			for r := range tile {
				row := (*[tile]float64)(t[r*tile:])
				gi := g[i+r]
				for c := range row {
					row[c] += float64(gi * wj[c])
				}
			}
			t = t[tileLen:]
		}
	}
}

// symMatVecPortable adds the product of the matrix and x to y. A tile off the
// diagonal stands for itself and for its mirror image.
func symMatVecPortable(t []float64, nb int, y, x []float64) {
	for i := 0; i < nb*tile; i += tile {
		var acc [tile]float64
		for j := i; j < nb*tile; j += tile {
			xj, yj := (*[tile]float64)(x[j:]), (*[tile]float64)(y[j:])
			for r := range tile {
				row := (*[tile]float64)(t[r*tile:])
				acc[r] += dot8(row, xj)
				if j > i {
					xi := x[i+r]
					for c := range row {
						yj[c] += float64(xi * row[c])
					}
				}
			}
			t = t[tileLen:]
		}
		for r, v := range acc {
			y[i+r] += v
		}
	}
}

// symRank1MatVecPortable is symRank1Portable and then symMatVecPortable.
func symRank1MatVecPortable(t []float64, nb int, g, w, y, x []float64) {
	for i := 0; i < nb*tile; i += tile {
		var acc [tile]float64
		for j := i; j < nb*tile; j += tile {
			wj, xj, yj := (*[tile]float64)(w[j:]), (*[tile]float64)(x[j:]), (*[tile]float64)(y[j:])
			for r := range tile {
				row := (*[tile]float64)(t[r*tile:])
				gi := g[i+r]
				for c := range row {
					row[c] += float64(gi * wj[c])
				}
				acc[r] += dot8(row, xj)
				if j > i {
					xi := x[i+r]
					for c := range row {
						yj[c] += float64(xi * row[c])
					}
				}
			}
			t = t[tileLen:]
		}
		for r, v := range acc {
			y[i+r] += v
		}
	}
}

func dot8(a, b *[tile]float64) float64 {
	s0 := float64(a[0]*b[0]) + float64(a[4]*b[4])
	s1 := float64(a[1]*b[1]) + float64(a[5]*b[5])
	s2 := float64(a[2]*b[2]) + float64(a[6]*b[6])
	s3 := float64(a[3]*b[3]) + float64(a[7]*b[7])
	return (s0 + s2) + (s1 + s3)
}
