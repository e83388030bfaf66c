package vec

// ColumnDots sets y_j = sum_i A_ij X_ij. A and X have equal shapes: 1, 2, 4 or a multiple of 8 columns, and a multiple
// of 8 elements.
func ColumnDots(y, a, x []float64) {
	n := len(y)
	if n%tile != 0 && tile%n != 0 || len(a) != len(x) || len(a)%max(n, tile) != 0 || n == 0 && len(a) > 0 {
		panic("vec: ColumnDots: shapes differ")
	}
	switch {
	case n == 1:
		y[0] = dot(a, x)
	case n < tile: // several rows are one row of eight columns
		var wide [tile]float64
		columnDots(wide[:], a, x)
		for j := range y {
			y[j] = wide[j]
			for i := j + n; i < tile; i += n {
				y[j] += wide[i]
			}
		}
	default:
		columnDots(y, a, x)
	}
}

// AddLagged adds lagged products to two matrices C and D of n columns. D follows C in c:
//
//	C_ij += sum_(l<k) F_(2l, j) x[i n + j + l shift]
//	D_ij += sum_(l<k) F_(2l+1, j) x[i n + j + l shift]
//
// F is 2k x n, and n is a multiple of 8. With one column per variable and a shift of n, these are the products of k
// samples with their lags.
func AddLagged(c, f, x []float64, n, shift int) {
	if n < 1 || n%tile != 0 || shift < 0 || len(c)%(2*n) != 0 || len(f)%(2*n) != 0 {
		panic("vec: AddLagged: shapes differ")
	}
	m, k := len(c)/(2*n), len(f)/(2*n)
	if m == 0 || k == 0 {
		return
	}
	if len(x) < m*n+(k-1)*shift {
		panic("vec: AddLagged: x is too short")
	}
	addLagged(c, f, x, m, n, k, shift)
}

func columnDotsPortable(y, a, x []float64) {
	n := len(y)
	x = x[:len(a)]
	for ; len(y) > 0; y = y[4:] {
		var s0, s1, s2, s3 float64
		for i := 0; i+3 < len(a); i += n {
			s0 += float64(a[i] * x[i])
			s1 += float64(a[i+1] * x[i+1])
			s2 += float64(a[i+2] * x[i+2])
			s3 += float64(a[i+3] * x[i+3])
		}
		y[0], y[1], y[2], y[3] = s0, s1, s2, s3
		if len(a) > 4 {
			a, x = a[4:], x[4:]
		}
	}
}

func addLaggedPortable(c, f, x []float64, m, n, k, shift int) {
	c1, c2 := c[:m*n], c[m*n:]
	c2 = c2[:len(c1)]
	lagged := func(l int) []float64 { return x[l*shift:][:len(c1)] }
	for j := range n {
		f := f[j:]
		l := 0
		for ; l+4 <= k; l += 4 {
			g := f[2*l*n:]
			f0, f1, f2, f3 := g[0], g[2*n], g[4*n], g[6*n]
			g0, g1, g2, g3 := g[n], g[3*n], g[5*n], g[7*n]
			x0, x1, x2, x3 := lagged(l), lagged(l+1), lagged(l+2), lagged(l+3)
			for i := j; i < len(c1); i += n {
				p, q, r, s := x0[i], x1[i], x2[i], x3[i]
				c1[i] += float64(f0*p) + float64(f1*q) + (float64(f2*r) + float64(f3*s))
				c2[i] += float64(g0*p) + float64(g1*q) + (float64(g2*r) + float64(g3*s))
			}
		}
		for ; l < k; l++ {
			f0, g0, x0 := f[2*l*n], f[(2*l+1)*n], lagged(l)
			for i := j; i < len(c1); i += n {
				c1[i] += float64(f0 * x0[i])
				c2[i] += float64(g0 * x0[i])
			}
		}
	}
}
