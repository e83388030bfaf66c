package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lanes is one register of variables, with their statistics (rows of a matrix) and the constants of the rule. Its
// arithmetic returns new registers.
type lanes struct {
	target
	places map[string]Mem
	row    map[string]Register // rows that were read or set
	limits GPVirtual
	rule   *rule
}

// lanesOf emits body for each register of variables, with its offset in a row. Rows are
// stride elements apart.
func (t target) lanesOf(rows, limits, stride GPVirtual, r *rule, body func(l *lanes, offset GPVirtual)) {
	bytes := t.inBytes(stride)
	bytes3 := GP64()
	LEAQ(Mem{Base: bytes, Index: bytes, Scale: 2}, bytes3)
	t.groupsOf(bytes, func(offset GPVirtual) {
		base := copyOf(rows)
		ADDQ(offset, base)
		l := &lanes{target: t, places: map[string]Mem{}, row: map[string]Register{}, limits: limits, rule: r}
		for i, name := range r.rows {
			if i > 0 && i%4 == 0 {
				next := GP64()
				LEAQ(Mem{Base: base, Index: bytes, Scale: 4}, next)
				base = next
			}
			l.places[name] = rowAt(base, i%4, 0, bytes, bytes3)
		}
		body(l, offset)
	})
}

// get returns a row.
func (l *lanes) get(name string) Register {
	if l.row[name] == nil {
		l.row[name] = l.vec()
		l.load(l.places[name], l.row[name])
	}
	return l.row[name]
}

// set stores v in a row.
func (l *lanes) set(name string, v Register) {
	l.row[name] = v
	l.store(v, l.places[name])
}

// change stores the elements of v in the mask in a row, and returns the row.
func (l *lanes) change(name string, v Register, m mask) Register {
	to := l.get(name)
	l.choose(v, m, to)
	l.store(to, l.places[name])
	return to
}

// limit returns a constant.
func (l *lanes) limit(name string) Register {
	v := l.vec()
	l.bcast(at(l.limits, nil, l.rule.limit(name)*size), v)
	return v
}

func (l *lanes) none() Register { return l.zeros(1)[0] }

func (l *lanes) plus(a, b Register) Register {
	v := l.vec()
	l.add(a, b, v)
	return v
}

func (l *lanes) minus(a, b Register) Register {
	v := l.vec()
	l.sub(b, a, v)
	return v
}

func (l *lanes) product(a, b Register) Register {
	v := l.vec()
	l.mul(a, b, v)
	return v
}

func (l *lanes) quotient(a, b Register) Register {
	v := l.vec()
	VDIVPD(b, a, v)
	return v
}

func (l *lanes) root(a Register) Register {
	v := l.vec()
	VSQRTPD(a, v)
	return v
}

// least returns min(a, b), or a if a or b is NaN. most returns max(a, b), or a if a or b is NaN.
func (l *lanes) least(a, b Register) Register {
	v := l.vec()
	VMINPD(a, b, v)
	return v
}

func (l *lanes) most(a, b Register) Register {
	v := l.vec()
	VMAXPD(a, b, v)
	return v
}

// abs returns |a|; NaN stays NaN.
func (l *lanes) abs(a Register) Register { return l.most(a, l.minus(l.none(), a)) }

// clipped returns a limited to [-limit, limit]; NaN stays NaN.
func (l *lanes) clipped(a, limit Register) Register {
	return l.most(l.least(a, limit), l.minus(l.none(), limit))
}

// where returns a in the mask and b outside. b is overwritten.
func (l *lanes) where(m mask, a, b Register) Register {
	l.choose(a, m, b)
	return b
}

// above, equal and differ return the masks of a > b, a = b and a != b.
func (l *lanes) above(a, b Register, within *mask) mask { return l.compare(1, b, a, within) }
func (l *lanes) equal(a, b Register, within *mask) mask { return l.compare(0, a, b, within) }
func (l *lanes) differ(a, b Register) mask              { return l.compare(4, a, b, nil) }

// weight returns max(1/count, rate), where rate is the constant least.
func (l *lanes) weight(count, one Register, least string) Register {
	rate := l.limit(least)
	young := l.above(one, l.product(count, rate), nil)
	l.unlessEmpty(young, func() { l.choose(l.quotient(one, count), young, rate) })
	return rate
}

// unlessEmpty emits body with a jump over it if the mask is empty.
func (t target) unlessEmpty(m mask, body func()) {
	bits := GP64()
	VMOVMSKPD(m.v, bits.As32())
	unlessZero(bits, body)
}

// dense returns the mask of the next register of a vector with n remaining elements, and subtracts the length of a
// register from n.
func (t target) dense(n GPVirtual) mask {
	left, most := copyOf(n), GP64()
	MOVQ(U32(uint32(t.lanes)), most)
	CMPQ(left, most)
	CMOVQGT(most, left)
	m := t.tailMask(left)
	SUBQ(U32(uint32(t.lanes)), n)
	zero := zeroed()
	CMPQ(n, zero)
	CMOVQLT(zero, n)
	return m
}

// loadSome loads a register. With a mask it loads the elements in the mask, and zeros elsewhere.
func (t target) loadSome(from Mem, m *mask) Register {
	v := t.vec()
	if m != nil {
		t.loadMask(from, *m, v)
	} else {
		t.load(from, v)
	}
	return v
}
