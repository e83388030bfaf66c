package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// levinson solves one system per element of a register. It masks only b and r, because the other vectors are whole
// registers.
func (t target) levinson() {
	t.begin("levinson", "func(head, x, b, r *%, order, stride, row, n int)",
		"solves n Toeplitz systems; see Toeplitz for the rows of head and x. Rows of b and r are stride apart.")
	head, b, r, stride, row := param("head"), param("b"), param("r"), t.inBytes(param("stride")), t.inBytes(param("row"))
	tail := t.tailMask(param("n"))
	bytes := param("order")
	IMULQ(row, bytes)
	x0, x1, now, next := param("x"), GP64(), GP64(), GP64()
	LEAQ(at(x0, bytes, 0), x1)
	LEAQ(at(x1, bytes, 0), now)
	ADDQ(row, now) // behind the -1
	LEAQ(at(now, bytes, 0), next)
	ADDQ(row, next)

	power, one := t.vec(), t.vec()
	t.load(at(head, nil, 0), power)
	t.bcast(one64(), one)
	k, d, e, v, w := t.vecs(3), t.zeros(3), t.vecs(3), t.vec(), t.vec()
	done := zeroed() // bytes of each solution
	top, end := label("order"), label("end")
	Label(top)
	CMPQ(done, bytes)
	JE(LabelRef(end))

	// e has the residuals of the next row with the solutions so far.
	t.load(rowAt(head, 2, 0, row, row), e[0])
	t.loadMask(at(b, nil, 0), tail, e[1])
	t.loadMask(at(r, nil, 0), tail, e[2])
	ADDQ(stride, b)
	t.load(rowAt(head, 1, 0, row, row), v)
	still := t.compare(14, power, v, nil) // greater
	VDIVPD(power, one, v)
	t.clean(v, still)
	for s := range k {
		t.sub(d[s], e[s], e[s])
		t.mul(v, e[s], k[s])
		t.zero(d[s])
	}
	product := copyOf(head)
	ADDQ(row, product)
	ADDQ(row, product)
	for _, p := range [][2]int{{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}} {
		ADDQ(row, product)
		to := at(product, nil, 0)
		t.load(to, v)
		t.fma(k[p[0]], e[p[1]], v)
		t.store(v, to)
	}
	t.load(one, v)
	t.fnma(k[2], k[2], v)
	t.mul(v, power, power)

	j, back, lag := zeroed(), GP64(), copyOf(r)
	LEAQ(at(now, done, 0), back)
	rows := label("rows")
	Label(rows)
	SUBQ(row, back)
	t.load(at(back, nil, 0), v)
	t.loadMask(at(lag, nil, 0), tail, w)
	for s, p := range [][2]GPVirtual{{x0, x0}, {x1, x1}, {now, next}} {
		t.load(at(p[0], j, 0), e[s])
		t.fnma(k[s], v, e[s])
		t.store(e[s], at(p[1], j, 0))
		t.fma(e[s], w, d[s])
	}
	SUBQ(stride, lag)
	ADDQ(row, j)
	CMPQ(j, done)
	JLE(LabelRef(rows))

	XCHGQ(now, next)
	ADDQ(stride, r)
	ADDQ(row, done)
	JMP(LabelRef(top))
	Label(end)
	t.end()
}
