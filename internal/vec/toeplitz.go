package vec

// ToeplitzColumns is the largest number of systems in a Toeplitz.
const ToeplitzColumns = tile

// Toeplitz solves several systems of linear equations side by side, each with a
// symmetric Toeplitz matrix T and three right-hand sides:
//
//	T x0 = (Constant, Constant, …),   T x1 = b,   T x2 = r
//	T_ij = Power for i = j, r_(|i-j|-1) otherwise
//
// x2 has the weights of the Yule-Walker autoregression. The solutions grow by one element per step (Levinson 1946), for
// which x2 in reverse order suffices (Durbin 1960). The error variance of the autoregression begins at Power and
// decreases. Once it is at most Floor, all further elements are zero.
type Toeplitz struct {
	Power, Floor, Constant []float64 // one element per system, padded to 4 or 8

	X [3][]float64 // x0, x1 and x2: one row per element, each of the length of Power

	// Products are inner products of the solutions with the right-hand sides c = (Constant, …), b and r: x0·c, x1·c,
	// x1·b, x2·c and x2·b.
	Products [5][]float64

	order, columns, row int
	head, memory, x     []float64 // x: the part of memory for the present order
}

// NewToeplitz returns a solver for the given number of systems of one order > 0.
func NewToeplitz(order, columns int) *Toeplitz {
	if order < 1 || columns < 1 || columns > ToeplitzColumns {
		panic("vec: NewToeplitz: no such shape")
	}
	row := tile
	if columns <= 4 {
		row = 4
	}
	s := &Toeplitz{columns: columns, row: row, head: Aligned(8 * row), memory: Aligned((4*order + 2) * row)}
	part := func(i int) []float64 { return s.head[i*row : (i+1)*row] }
	s.Power, s.Floor, s.Constant = part(0), part(1), part(2)
	for i := range s.Products {
		s.Products[i] = part(3 + i)
	}
	s.SetOrder(order)
	return s
}

// SetOrder sets the order of the matrices, in [1, order of NewToeplitz].
func (s *Toeplitz) SetOrder(order int) {
	row, n := s.row, order*s.row
	s.order, s.x = order, s.memory[:(4*order+2)*row]
	// There are two copies of (-1, x2): each step computes one copy from the other.
	s.X[0], s.X[1], s.X[2] = s.x[:n], s.x[n:2*n], s.x[2*n+row:3*n+row]
	if order%2 != 0 {
		s.X[2] = s.x[3*n+2*row:]
	}
}

// Solve solves the systems. Column j of b and r belongs to system j; rows are stride
// apart.
func (s *Toeplitz) Solve(b, r []float64, stride int) {
	if length := (s.order-1)*stride + s.columns; stride < s.columns || len(b) < length || len(r) < length {
		panic("vec: Toeplitz: shapes differ")
	}
	clear(s.head[3*s.row:])
	clear(s.x)
	for j := range s.row {
		s.x[2*s.order*s.row+j], s.x[(3*s.order+1)*s.row+j] = -1, -1
	}
	levinson(s, b, r, stride)
}

func levinsonPortable(s *Toeplitz, b, r []float64, stride int) {
	for j := range s.columns {
		s.solveColumn(j, b[j:], r[j:], stride)
	}
}

func (s *Toeplitz) solveColumn(column int, b, r []float64, stride int) {
	row := s.row
	x0, x1 := s.X[0][column:], s.X[1][column:]
	now, next := s.x[2*s.order*row+column:], s.x[(3*s.order+1)*row+column:]
	power, floor := s.Power[column], s.Floor[column]
	var d0, d1, d2 float64
	for n := range s.order {
		inverse := 0.
		if power > floor {
			inverse = 1 / power
		}
		// Residuals of row n for the solutions so far.
		e0, e1, e2 := s.Constant[column]-d0, b[n*stride]-d1, r[n*stride]-d2
		k0, k1, k2 := e0*inverse, e1*inverse, e2*inverse
		for i, v := range [...]float64{k0 * e0, k0 * e1, k1 * e1, k0 * e2, k1 * e2} {
			s.Products[i][column] += v
		}
		power *= 1 - float64(k2*k2)
		// now, in reverse order, solves T y = (0, …, 0, -power).
		d0, d1, d2 = 0, 0, 0
		for i := range n + 1 {
			y, lag := now[(n-i)*row], r[(n-i)*stride]
			at := i * row
			v0, v1, v2 := x0[at]-float64(k0*y), x1[at]-float64(k1*y), now[at+row]-float64(k2*y)
			x0[at], x1[at], next[at+row] = v0, v1, v2
			d0 += float64(v0 * lag)
			d1 += float64(v1 * lag)
			d2 += float64(v2 * lag)
		}
		now, next = next, now
	}
}
