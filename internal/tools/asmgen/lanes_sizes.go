package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

// ratios processes a register of variables at a time. It neither fuses multiplications and additions nor changes their
// order, so all instruction sets give the same bits. So do addSizes and origin.
func (t target) ratios() {
	t.begin("ratios", "func(ratios, terms, weights, origin, forecast, limits *%, n, stride int)",
		"writes features and expected sizes of errors.")
	bytes, n := t.inBytes(param("stride")), param("n")
	l := &lanes{target: t, rule: sizesRule, limits: param("limits")}
	t.groupsOf(bytes, func(offset GPVirtual) {
		m := t.dense(n)
		row := param("origin")
		ADDQ(offset, row)
		next := func() Register {
			v := t.loadSome(at(row, nil, 0), nil)
			ADDQ(bytes, row)
			return v
		}
		one := l.limit("One")
		value, perStep, level, step, last := next(), next(), next(), next(), next()
		far := l.abs(level)
		move := l.product(l.abs(l.minus(t.loadSome(at(param("forecast"), offset, 0), &m), value)), perStep)
		move = l.least(l.limit("State"), move) // NaN becomes the limit
		terms := []Register{one, level, far, l.least(far, l.limit("Near")), l.least(far, l.limit("Middle")), move, step, last}

		row, weight := param("terms"), param("weights")
		ADDQ(offset, row)
		ADDQ(offset, weight)
		sum := l.limit("One")
		for _, u := range terms {
			t.store(u, at(row, nil, 0))
			sum = l.plus(sum, l.product(t.loadSome(at(weight, nil, 0), nil), u))
			ADDQ(bytes, row)
			ADDQ(bytes, weight)
		}
		sum = l.least(l.most(sum, l.limit("Smallest")), l.limit("Largest"))
		t.storeMask(sum, m, at(param("ratios"), offset, 0))
	})
	t.end()
}

// addSizes keeps the features in registers, while the sums pass by.
func (t target) addSizes() {
	t.begin("addSizes", "func(sums, terms, sizes, ratios, limits *%, n, stride int)",
		"adds products of features with each other and with targets.")
	bytes, n := t.inBytes(param("stride")), param("n")
	l := &lanes{target: t, rule: sizesRule, limits: param("limits")}
	t.groupsOf(bytes, func(offset GPVirtual) {
		m := t.dense(n)
		size := t.loadSome(at(param("sizes"), offset, 0), &m)
		there := t.ordered(size, &m)
		size = l.least(size, l.product(l.limit("Most"), t.loadSome(at(param("ratios"), offset, 0), &m)))
		e := t.kept(l.minus(size, l.limit("One")), there)
		row, sum := param("terms"), param("sums")
		ADDQ(offset, row)
		ADDQ(offset, sum)
		var terms []Register
		for range sizeTerms {
			terms = append(terms, t.kept(t.loadSome(at(row, nil, 0), nil), there))
			ADDQ(bytes, row)
		}
		add := func(product Register) {
			t.add(at(sum, nil, 0), product, product)
			t.store(product, at(sum, nil, 0))
			ADDQ(bytes, sum)
		}
		for i, u := range terms {
			for _, v := range terms[:i+1] {
				add(l.product(u, v))
			}
		}
		for _, u := range terms {
			add(l.product(u, e))
		}
	})
	t.end()
}

// sizeTerms is the number of features.
const sizeTerms = 8
