package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// conformal processes a register of variables at a time, and loops over the levels of the intervals. It neither fuses
// multiplications and additions nor changes their order, so all instruction sets give the same bits.
func (t target) conformal() {
	t.begin("conformal", "func(out *int64, scale, count, own, half, forecast, y, voting, limits, steps *%, n, levels, stride int)",
		"learns errors and factors of intervals; out are the votes, and the misses at each level.")
	n := param("n")
	tail := t.rest(n)
	bytes := t.inBytes(n)
	stride := t.inBytes(param("stride"))
	limits := param("limits")
	limit := func(name string) Register {
		v := t.vec()
		t.bcast(at(limits, nil, conformalRule.limit(name)*size), v)
		return v
	}
	t.columns(bytes, tail, 1, func(j GPVirtual, _ int, m *mask) {
		read := func(p GPVirtual) Register {
			v := t.vec()
			if m != nil {
				t.loadMask(at(p, j, 0), *m, v)
			} else {
				t.load(at(p, j, 0), v)
			}
			return v
		}
		write := func(v Register, p GPVirtual) {
			if m != nil {
				t.storeMask(v, *m, at(p, j, 0))
			} else {
				t.store(v, at(p, j, 0))
			}
		}
		abs := func(v Register) Register {
			s := t.zeros(1)[0]
			t.sub(v, s, s)
			VMAXPD(v, s, s)
			return s
		}
		product := func(a, b Register) Register {
			v := t.vec()
			t.mul(a, b, v)
			return v
		}
		zero := t.zeros(1)[0]
		y, e := read(param("y")), read(param("forecast"))
		t.sub(e, y, e)
		e = abs(e)
		there := t.ordered(e, m)
		count := read(param("count"))
		either := t.vec()
		VMAXPD(e, count, either)
		there = t.compare(1, zero, either, &there)
		t.add(t.kept(limit("One"), there), count, count)
		write(count, param("count"))

		vote := t.compare(1, zero, read(param("voting")), &there)
		vote = t.compare(1, limit("Horizon"), count, &vote)
		out := param("out")
		t.count(vote, out)
		slack := product(limit("Slack"), abs(y))
		half, own, steps, levels := param("half"), param("own"), param("steps"), param("levels")
		loop(levels, 1, func() {
			ADDQ(U32(8), out)
			far := read(half)
			t.add(slack, far, far)
			miss := t.compare(1, far, e, &vote)
			t.count(miss, out)
			step, other := t.vec(), t.vec()
			t.bcast(at(steps, nil, 0), step)
			t.bcast(at(steps, nil, size), other)
			t.choose(other, miss, step)
			f := read(own)
			t.mul(f, step, step)
			VMAXPD(limit("Low"), step, step)
			VMINPD(limit("High"), step, step)
			t.choose(step, vote, f)
			write(f, own)
			ADDQ(stride, half)
			ADDQ(stride, own)
			ADDQ(U32(uint32(2*size)), steps)
		})

		scale := read(param("scale"))
		most := product(limit("Winsor"), scale)
		VMINPD(e, most, most)
		t.choose(most, t.compare(1, limit("After"), count, nil), e)
		weight := t.vec()
		VDIVPD(count, limit("One"), weight)
		VMAXPD(limit("Rate"), weight, weight)
		t.sub(scale, e, e)
		t.mul(weight, e, e)
		t.add(t.kept(e, there), scale, scale)
		write(scale, param("scale"))
	})
	t.end()
}

// count adds the number of elements of the mask to an integer in memory.
func (t target) count(m mask, to GPVirtual) {
	bits := GP64()
	VMOVMSKPD(m.v, bits.As32())
	POPCNTQ(bits, bits)
	ADDQ(bits, at(to, nil, 0))
}
