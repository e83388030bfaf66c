package vec

// uduProjectPortable sets f = U^T x for n columns.
func uduProjectPortable(f, u, x []float32, n int) {
	for j := 0; j < n; j += uduColumns {
		c0, c1, c2, c3, rest := fourColumns(u, j)
		x := x[:len(c0)]
		var s0, s1, s2, s3 float32
		for i, z := range x {
			s0 += float32(c0[i] * z)
			s1 += float32(c1[i] * z)
			s2 += float32(c2[i] * z)
			s3 += float32(c3[i] * z)
		}
		f[j], f[j+1], f[j+2], f[j+3] = s0, s1, s2, s3
		u = rest
	}
}

// fourColumns returns columns j to j+3, j a multiple of 4, and the rest of u.
func fourColumns(u []float32, j int) (c0, c1, c2, c3, rest []float32) {
	n := (j/uduRows + 1) * uduRows
	return u[:n], u[n:][:n], u[2*n:][:n], u[3*n:][:n], u[4*n:]
}

// uduUpdatePortable updates the n columns from first on, in order; u begins with column first. For each column j, it adds
// ratio_j sum to the column, and then v_j times the old column to sum.
func uduUpdatePortable(u, sum, v, ratio []float32, first, n int) {
	for j := 0; j < n; j += uduColumns {
		c0, c1, c2, c3, rest := fourColumns(u, first+j)
		v0, v1, v2, v3 := v[j], v[j+1], v[j+2], v[j+3]
		r0, r1, r2, r3 := ratio[j], ratio[j+1], ratio[j+2], ratio[j+3]
		sum := sum[:len(c0)]
		for i, s := range sum {
			a, b, c, d := c0[i], c1[i], c2[i], c3[i]
			c0[i] = a + float32(r0*s)
			s += float32(v0 * a)
			c1[i] = b + float32(r1*s)
			s += float32(v1 * b)
			c2[i] = c + float32(r2*s)
			s += float32(v2 * c)
			c3[i] = d + float32(r3*s)
			sum[i] = s + float32(v3*d)
		}
		u = rest
	}
}

// uduWeighPortable sets v = D f and sums_j = sum_{i<=j} f_i v_i. It returns the last sum.
func uduWeighPortable(v []float32, sums, d []float64, f []float32) float64 {
	sum := 0.
	v, sums, d = v[:len(f)], sums[:len(f)], d[:len(f)]
	for j, x := range f {
		vj := d[j] * float64(x)
		sum += float64(float64(x) * vj)
		v[j], sums[j] = float32(vj), sum
	}
	return sum
}

// uduRatiosPortable sets ratio_j = -f_j / a and D_j *= a / b, with a = r + sums_j and b = r + sums_{j+1}.
func uduRatiosPortable(ratio []float32, d, sums []float64, f []float32, r float64) {
	a := r + sums[0]
	ratio, d, sums = ratio[:len(f)], d[:len(f)], sums[1:][:len(f)]
	for j, x := range f {
		b := r + sums[j]
		inverse := 1 / (a * b)
		ratio[j] = float32(-float64(x) * (b * inverse))
		d[j] *= a * inverse * a
		a = b
	}
}
