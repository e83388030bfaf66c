package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// target is an instruction set and an element type. Its methods emit one
// operation each, so that a kernel is written once for all targets.
type target struct {
	name  string // suffix of the kernels
	zmm   bool   // 512-bit registers, masks and operands broadcast from memory
	size  int    // bytes an element
	lanes int    // elements a register
}

var (
	avx2   = target{name: "AVX2", size: 8, lanes: 4}
	avx512 = target{name: "AVX512", zmm: true, size: 8, lanes: 8}
)

// single returns the target for float32.
func (t target) single() target {
	t.name = "32" + t.name
	t.size /= 2
	t.lanes *= 2
	return t
}

func (t target) bytes() int { return t.size * t.lanes }

// begin opens the function of the given name; args is its Go signature with
// float for the element type.
func (t target) begin(name, signature, doc string) {
	elem := "float64"
	if t.size == 4 {
		elem = "float32"
	}
	s := ""
	for i := 0; i < len(signature); i++ {
		if signature[i] == '%' {
			s += elem
		} else {
			s += string(signature[i])
		}
	}
	TEXT(name+t.name, NOSPLIT, s)
	Pragma("noescape")
	Doc(name + t.name + " " + doc)
	if t.zmm {
		nothing = ZMM()
		VPXORQ(nothing, nothing, nothing)
	}
}

// end closes a function. Upper halves left dirty would slow down all scalar
// code that follows.
func (t target) end() {
	VZEROUPPER()
	RET()
}

func (t target) vec() Register {
	if t.zmm {
		return ZMM()
	}
	return YMM()
}

func (t target) vecs(n int) []Register {
	v := make([]Register, n)
	for i := range v {
		v[i] = t.vec()
	}
	return v
}

func (t target) zeros(n int) []Register {
	v := t.vecs(n)
	for _, r := range v {
		t.zero(r)
	}
	return v
}

// zero clears r. avo takes VPXORQ(r, r, r) for a use of what was in r before,
// which would keep r occupied from the start of the function; hence the copy.
func (t target) zero(r Register) {
	if t.zmm {
		t.load(nothing, r)
	} else {
		VXORPD(r, r, r)
	}
}

// nothing is a register of zeros in the present function of an AVX-512 target.
var nothing Register

func (t target) load(from, to Op) {
	if t.size == 4 {
		VMOVUPS(from, to)
	} else {
		VMOVUPD(from, to)
	}
}

func (t target) store(from, to Op) { t.load(from, to) }

// bcast spreads a number in memory, or the first of an xmm register.
func (t target) bcast(m, to Op) {
	if t.size == 4 {
		VBROADCASTSS(m, to)
	} else {
		VBROADCASTSD(m, to)
	}
}

func (t target) add(a, b, to Op) {
	if t.size == 4 {
		VADDPS(a, b, to)
	} else {
		VADDPD(a, b, to)
	}
}

// sub sets to = b - a.
func (t target) sub(a, b, to Op) {
	if t.size == 4 {
		VSUBPS(a, b, to)
	} else {
		VSUBPD(a, b, to)
	}
}

func (t target) mul(a, b, to Op) {
	if t.size == 4 {
		VMULPS(a, b, to)
	} else {
		VMULPD(a, b, to)
	}
}

// fma sets acc += a b.
func (t target) fma(a, b, acc Op) {
	if t.size == 4 {
		VFMADD231PS(a, b, acc)
	} else {
		VFMADD231PD(a, b, acc)
	}
}

// fnma sets acc -= a b.
func (t target) fnma(a, b, acc Op) {
	if t.size == 4 {
		VFNMADD231PS(a, b, acc)
	} else {
		VFNMADD231PD(a, b, acc)
	}
}

// horner sets acc = acc b + c.
func (t target) horner(c, b, acc Op) {
	if t.size == 4 {
		VFMADD213PS(c, b, acc)
	} else {
		VFMADD213PD(c, b, acc)
	}
}

// hornerMinus sets acc = c - acc b.
func (t target) hornerMinus(c, b, acc Op) {
	if t.size == 4 {
		VFNMADD213PS(c, b, acc)
	} else {
		VFNMADD213PD(c, b, acc)
	}
}

// fmaBcast sets acc += a b, where a is one number in memory. tmp is used where
// the instruction set has no such operand.
func (t target) fmaBcast(a Mem, b, acc, tmp Op) {
	switch {
	case !t.zmm:
		t.bcast(a, tmp)
		t.fma(tmp, b, acc)
	case t.size == 4:
		VFMADD231PS_BCST(a, b, acc)
	default:
		VFMADD231PD_BCST(a, b, acc)
	}
}

// fnmaBcast sets acc -= a b; see fmaBcast.
func (t target) fnmaBcast(a Mem, b, acc, tmp Op) {
	if !t.zmm {
		t.bcast(a, tmp)
		t.fnma(tmp, b, acc)
		return
	}
	VFNMADD231PD_BCST(a, b, acc)
}

// mulBcast sets acc *= a; see fmaBcast.
func (t target) mulBcast(a Mem, acc, tmp Op) {
	if !t.zmm {
		t.bcast(a, tmp)
		t.mul(tmp, acc, acc)
		return
	}
	VMULPD_BCST(a, acc, acc)
}

// mask selects the first elements of a register.
type mask struct {
	k Register // AVX-512
	v Register // AVX2
}

// tailMask returns the mask of the first n elements, 0 <= n <= lanes.
func (t target) tailMask(n GPVirtual) mask {
	r := GP64()
	if t.zmm {
		MOVQ(I64(-1), r)
		BZHIQ(n, r, r)
		k := K()
		KMOVW(r.As32(), k)
		return mask{k: k}
	}
	LEAQ(t.maskTable().Offset(t.bytes()), r)
	b := GP64()
	MOVQ(n, b)
	SHLQ(U8(log2(t.size)), b)
	SUBQ(b, r)
	v := YMM()
	VMOVUPD(Mem{Base: r}, v)
	return mask{v: v}
}

var maskTables = map[int]Mem{}

// maskTable is a register full of ones and then one of zeros.
func (t target) maskTable() Mem {
	if m, ok := maskTables[t.size]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("mask%d", 8*t.size), RODATA|NOPTR)
	for i := range 8 {
		v := uint64(0)
		if i < 4 {
			v = 1<<64 - 1
		}
		DATA(8*i, U64(v))
	}
	maskTables[t.size] = m
	return m
}

// loadMask loads the elements of the mask and zeros beside them.
func (t target) loadMask(from Mem, m mask, to Op) {
	switch {
	case t.zmm && t.size == 4:
		VMOVUPS_Z(from, m.k, to)
	case t.zmm:
		VMOVUPD_Z(from, m.k, to)
	case t.size == 4:
		VMASKMOVPS(from, m.v, to)
	default:
		VMASKMOVPD(from, m.v, to)
	}
}

// storeMask stores the elements of the mask.
func (t target) storeMask(from Op, m mask, to Mem) {
	switch {
	case t.zmm && t.size == 4:
		VMOVUPS(from, m.k, to)
	case t.zmm:
		VMOVUPD(from, m.k, to)
	case t.size == 4:
		VMASKMOVPS(from, m.v, to)
	default:
		VMASKMOVPD(from, m.v, to)
	}
}

// clean sets the elements outside the mask to zero: 0 times infinity must not
// reach a sum.
func (t target) clean(r Register, m mask) {
	switch {
	case t.zmm && t.size == 4:
		VMOVUPS_Z(r, m.k, r)
	case t.zmm:
		VMOVUPD_Z(r, m.k, r)
	default:
		VANDPD(m.v, r, r)
	}
}

// sum returns the sum of the elements of v in the first place of an xmm
// register.
func (t target) sum(v Register) VecVirtual {
	x, y := XMM(), v.(VecVirtual).AsX()
	if t.zmm {
		// Only instructions that reach all 32 registers.
		half := YMM()
		VEXTRACTF64X4(U8(1), v, half)
		t.add(v.(VecVirtual).AsY(), half, half)
		VEXTRACTF64X2(U8(1), half, x)
		t.add(x, half.(VecVirtual).AsX(), x)
	} else {
		VEXTRACTF128(U8(1), v, x)
		t.add(x, y, x)
	}
	swap := XMM()
	if t.size == 4 {
		VPERMILPS(U8(0b01_00_11_10), x, swap)
		t.add(swap, x, x)
		VPERMILPS(U8(0b10_11_00_01), x, swap)
	} else {
		VPERMILPD(U8(0b01), x, swap)
	}
	t.add(swap, x, x)
	return x.(VecVirtual)
}

// sums returns the sums of the elements of each register, one after the other,
// of at most as many as a register has elements. What follows them is of no use.
// The registers are lost.
func (t target) sums(v []Register) Register {
	tmp := t.vec()
	// Each step halves what is left to add, and joins neighbours.
	join := func(each func(a, b Register)) {
		for i := 0; i < len(v); i += 2 {
			each(v[i], v[min(i+1, len(v)-1)])
			t.add(tmp, v[i], v[i])
			v[i/2] = v[i]
		}
		v = v[:(len(v)+1)/2]
	}
	v = append([]Register(nil), v...)
	if !t.zmm {
		join(func(a, b Register) {
			VUNPCKLPD(b, a, tmp)
			VUNPCKHPD(b, a, a)
		})
		join(func(a, b Register) {
			VPERM2F128(U8(0x20), b, a, tmp)
			VPERM2F128(U8(0x31), b, a, a)
		})
		return v[0]
	}
	if t.size == 4 {
		join(func(a, b Register) {
			VUNPCKLPS(b, a, tmp)
			VUNPCKHPS(b, a, a)
		})
	}
	join(func(a, b Register) {
		VUNPCKLPD(b, a, tmp)
		VUNPCKHPD(b, a, a)
	})
	for range 2 {
		join(func(a, b Register) {
			VSHUFF64X2(U8(0x88), b, a, tmp)
			VSHUFF64X2(U8(0xdd), b, a, a)
		})
	}
	return v[0]
}

// halves returns the lower and the upper half of v.
func (t target) halves(v Register) (low, high Register) {
	if t.zmm {
		high = YMM()
		VEXTRACTF64X4(U8(1), v, high)
		return v.(VecVirtual).AsY(), high
	}
	high = XMM()
	VEXTRACTF128(U8(1), v, high)
	return v.(VecVirtual).AsX(), high
}

// storeSums stores the sum of the elements of each register, one after the
// other.
func (t target) storeSums(v []Register, to GPVirtual) {
	if t.size == 4 && !t.zmm || len(v) < min(4, t.lanes/2) {
		for i := range v {
			t.storeFirst(t.sum(v[i]), at(to, nil, i*t.size))
		}
		return
	}
	s := t.sums(v)
	if len(v) == t.lanes {
		t.store(s, at(to, nil, 0))
		return
	}
	n := GP64()
	MOVQ(U32(uint32(len(v))), n)
	t.storeMask(s, t.tailMask(n), at(to, nil, 0))
}

// addFirst adds a number in memory to the first element of an xmm register.
func (t target) addFirst(m Mem, x Op) {
	if t.size == 4 {
		VADDSS(m, x, x)
	} else {
		VADDSD(m, x, x)
	}
}

// storeFirst stores the first element of an xmm register.
func (t target) storeFirst(x Op, to Mem) {
	if t.size == 4 {
		VMOVSS(x, to)
	} else {
		VMOVSD(x, to)
	}
}

// param loads an argument into a general register.
func param(name string) GPVirtual { return Load(Param(name), GP64()).(GPVirtual) }

// number is where a floating-point argument lies. avo's Load and Store would
// take SSE instructions, which are slow while the upper halves of the registers
// are in use.
func number(name string) Mem { return argument(Param(name)) }

// result stores the first element of an xmm register as the result.
func (t target) result(x Op) { t.storeFirst(x, argument(ReturnIndex(0))) }

func argument(c gotypes.Component) Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// copyOf returns a register with the value of r.
func copyOf(r Op) GPVirtual {
	c := GP64()
	MOVQ(r, c)
	return c
}

// inBytes returns the length in bytes of r elements.
func (t target) inBytes(r GPVirtual) GPVirtual {
	c := copyOf(r)
	SHLQ(U8(log2(t.size)), c)
	return c
}

func log2(n int) uint8 {
	k := uint8(0)
	for n > 1 {
		n /= 2
		k++
	}
	return k
}

var labels int

// label returns a new label.
func label(name string) string {
	labels++
	return fmt.Sprintf("%s%d", name, labels)
}

// loop emits body once for every step that fits into left, a register that is
// reduced by step each time; what remains is smaller than step.
func loop(left GPVirtual, step int, body func()) {
	top, done := label("loop"), label("done")
	CMPQ(left, U32(uint32(step)))
	JL(LabelRef(done))
	Label(top)
	body()
	SUBQ(U32(uint32(step)), left)
	if step > 1 {
		CMPQ(left, U32(uint32(step)))
		JGE(LabelRef(top))
	} else {
		JG(LabelRef(top)) // one operation with the subtraction
	}
	Label(done)
}

// unlessZero emits body, jumped over when r is zero.
func unlessZero(r GPVirtual, body func()) {
	skip := label("skip")
	TESTQ(r, r)
	JZ(LabelRef(skip))
	body()
	Label(skip)
}
