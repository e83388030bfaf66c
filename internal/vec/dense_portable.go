package vec

// Portable Go. A product before a sum is written float64(x*y) + z: the conversion prevents a fused multiply-add, so every
// platform gives the same bits. Sums run in four independent chains.

func dotPortable(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		p, q := x[i:i+4:i+4], y[i:i+4:i+4]
		s0 += float64(p[0] * q[0])
		s1 += float64(p[1] * q[1])
		s2 += float64(p[2] * q[2])
		s3 += float64(p[3] * q[3])
	}
	s := (s0 + s2) + (s1 + s3)
	for ; i < len(x); i++ {
		s += float64(x[i] * y[i])
	}
	return s
}

func axpyPortable(alpha float64, x, y []float64) {
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		p, q := x[i:i+4:i+4], y[i:i+4:i+4]
		q[0] += float64(alpha * p[0])
		q[1] += float64(alpha * p[1])
		q[2] += float64(alpha * p[2])
		q[3] += float64(alpha * p[3])
	}
	for ; i < len(x); i++ {
		y[i] += float64(alpha * x[i])
	}
}

func scalePortable(y []float64, alpha float64, x []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = alpha * v
	}
}

func timesPortable(x, y []float64) {
	y = y[:len(x)]
	for i, v := range y {
		x[i] *= v
	}
}

func hadamardPortable(x []float64) {
	for h := 1; h < len(x); h *= 2 {
		for i := 0; i < len(x); i += 2 * h {
			a, b := x[i:i+h], x[i+h:i+2*h]
			for j, v := range a {
				a[j], b[j] = v+b[j], v-b[j]
			}
		}
	}
}

func matVecPortable(y, a, x []float64) {
	n := len(x)
	i := 0
	for ; i+2 <= len(y); i += 2 {
		y[i], y[i+1] = dotsPortable(a[i*n:(i+1)*n], a[(i+1)*n:(i+2)*n], x)
	}
	if i < len(y) {
		y[i] = dotPortable(a[i*n:(i+1)*n], x)
	}
}

func addMatTVecPortable(y, a, x []float64) {
	n := len(y)
	i := 0
	for ; i+4 <= len(x); i += 4 {
		axpysPortable((*[4]float64)(x[i:]), a[i*n:(i+4)*n], y)
	}
	for ; i < len(x); i++ {
		axpyPortable(x[i], a[i*n:(i+1)*n], y)
	}
}

func addOuterPortable(a []float64, alpha float64, x, y []float64) {
	n := len(y)
	for i, v := range x {
		axpyPortable(float64(alpha*v), y, a[i*n:(i+1)*n])
	}
}

func matMulTPortable(c, a, b []float64, m, n, k int) {
	for i := range m {
		matVecPortable(c[i*n:(i+1)*n], b, a[i*k:(i+1)*k])
	}
}

// dotsPortable returns x·z and y·z, with the bits of dotPortable, in one loop.
func dotsPortable(x, y, z []float64) (s, t float64) {
	y, z = y[:len(x)], z[:len(x)]
	var s0, s1, s2, s3, t0, t1, t2, t3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		p, q, r := x[i:i+4:i+4], y[i:i+4:i+4], z[i:i+4:i+4]
		s0 += float64(p[0] * r[0])
		t0 += float64(q[0] * r[0])
		s1 += float64(p[1] * r[1])
		t1 += float64(q[1] * r[1])
		s2 += float64(p[2] * r[2])
		t2 += float64(q[2] * r[2])
		s3 += float64(p[3] * r[3])
		t3 += float64(q[3] * r[3])
	}
	s, t = (s0+s2)+(s1+s3), (t0+t2)+(t1+t3)
	for ; i < len(x); i++ {
		s += float64(x[i] * z[i])
		t += float64(y[i] * z[i])
	}
	return s, t
}

func addMatMulPortable(c []float64, alpha float64, a, b []float64, m, n, k int) {
	for i := range m {
		row := c[i*n : (i+1)*n]
		j := 0
		for ; j+4 <= k; j += 4 {
			f := [4]float64{float64(alpha * a[i*k+j]), float64(alpha * a[i*k+j+1]), float64(alpha * a[i*k+j+2]), float64(alpha * a[i*k+j+3])}
			axpysPortable(&f, b[j*n:(j+4)*n], row)
		}
		for ; j < k; j++ {
			axpyPortable(float64(alpha*a[i*k+j]), b[j*n:(j+1)*n], row)
		}
	}
}

// axpysPortable adds f_0 x_0 + … + f_3 x_3 to y, where x_i is row i of x, in one pass over y. It gives the bits of four
// calls of axpyPortable.
func axpysPortable(f *[4]float64, x, y []float64) {
	n := len(y)
	x0, x1, x2, x3 := x[:n], x[n:2*n], x[2*n:3*n], x[3*n:4*n]
	f0, f1, f2, f3 := f[0], f[1], f[2], f[3]
	for i, v := range y {
		v += float64(f0 * x0[i])
		v += float64(f1 * x1[i])
		v += float64(f2 * x2[i])
		v += float64(f3 * x3[i])
		y[i] = v
	}
}

func sinCosPortable(sin, cos, t []float64) {
	for i, v := range t {
		sin[i], cos[i] = sinCosTurns(v)
	}
}

func featuresPortable(phi, w, x []float64, scale float64) {
	d := len(phi) / 2
	cos, sin := phi[:d], phi[d:]
	clear(cos)
	addMatTVecPortable(cos, w, x)
	for i, t := range cos {
		s, c := sinCosTurns(t)
		cos[i], sin[i] = float64(scale*c), float64(scale*s)
	}
}
