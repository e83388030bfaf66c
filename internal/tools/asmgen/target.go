package main

import (
	"math"
	"strings"
	"sync"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// target is an instruction set. Each method emits one operation on registers of float64, so that one kernel serves both
// targets.
type target struct {
	name  string // suffix of the kernels
	zmm   bool   // AVX-512: 512-bit registers, mask registers and broadcast memory operands
	lanes int    // number of float64 in a register
}

var (
	avx2   = target{name: "AVX2", lanes: 4}
	avx512 = target{name: "AVX512", zmm: true, lanes: 8}
)

// size is the length of a float64 in bytes.
const size = 8

func (t target) bytes() int { return size * t.lanes }

// begin opens the function with the given name. % in its Go signature stands for float64. Labels count from 1 in each
// function, so that a change of a kernel does not change the text of other kernels.
func (t target) begin(name, signature, doc string) {
	labels = 0
	TEXT(name+t.name, NOSPLIT, strings.ReplaceAll(signature, "%", "float64"))
	Pragma("noescape")
	Doc(name + t.name + " " + doc)
	if t.zmm {
		nothing = ZMM()
		VPXORQ(nothing, nothing, nothing)
	}
}

// end closes a function with VZEROUPPER, because dirty upper halves of registers would slow down later scalar code.
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

// zero clears r. avo treats VPXORQ(r, r, r) as a use of the former value of r, which would occupy r from the start of the
// function. The copy avoids this.
func (t target) zero(r Register) {
	if t.zmm {
		t.load(nothing, r)
	} else {
		VXORPD(r, r, r)
	}
}

// nothing is a register of zeros in the current function, for AVX-512.
var nothing Register

func (t target) load(from, to Op) {
	VMOVUPD(from, to)
}

func (t target) store(from, to Op) { t.load(from, to) }

// bcast copies a number in memory, or the first of an xmm register, to all elements.
func (t target) bcast(m, to Op) {
	VBROADCASTSD(m, to)
}

func (t target) add(a, b, to Op) {
	VADDPD(a, b, to)
}

// sub sets to = b - a.
func (t target) sub(a, b, to Op) {
	VSUBPD(a, b, to)
}

func (t target) mul(a, b, to Op) {
	VMULPD(a, b, to)
}

// fma sets acc += a b.
func (t target) fma(a, b, acc Op) {
	VFMADD231PD(a, b, acc)
}

// fnma sets acc -= a b.
func (t target) fnma(a, b, acc Op) {
	VFNMADD231PD(a, b, acc)
}

// horner sets acc = acc b + c.
func (t target) horner(c, b, acc Op) {
	VFMADD213PD(c, b, acc)
}

// hornerMinus sets acc = c - acc b.
func (t target) hornerMinus(c, b, acc Op) {
	VFNMADD213PD(c, b, acc)
}

// fmaBcast sets acc += a b, where a is one number in memory. AVX2 has no such operand, and uses tmp.
func (t target) fmaBcast(a Mem, b, acc, tmp Op) {
	if !t.zmm {
		t.bcast(a, tmp)
		t.fma(tmp, b, acc)
		return
	}
	VFMADD231PD_BCST(a, b, acc)
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
	LEAQ(maskTable().Offset(t.bytes()), r)
	b := GP64()
	MOVQ(n, b)
	SHLQ(U8(log2(size)), b)
	SUBQ(b, r)
	v := YMM()
	VMOVUPD(Mem{Base: r}, v)
	return mask{v: v}
}

// maskTable is a register of ones followed by a register of zeros, for AVX2.
var maskTable = sync.OnceValue(func() Mem {
	m := GLOBL("mask64", RODATA|NOPTR)
	for i := range 8 {
		v := uint64(0)
		if i < 4 {
			v = 1<<64 - 1
		}
		DATA(8*i, U64(v))
	}
	return m
})

// one64 is a one in memory.
var one64 = sync.OnceValue(func() Mem {
	m := GLOBL("one64", RODATA|NOPTR)
	DATA(0, U64(math.Float64bits(1)))
	return m
})

// largest is the largest number in memory.
var largest = sync.OnceValue(func() Mem {
	m := GLOBL("largest", RODATA|NOPTR)
	DATA(0, U64(math.Float64bits(math.MaxFloat64)))
	return m
})

// loadMask loads the elements in the mask and sets the others to zero.
func (t target) loadMask(from Mem, m mask, to Op) {
	if t.zmm {
		VMOVUPD_Z(from, m.k, to)
	} else {
		VMASKMOVPD(from, m.v, to)
	}
}

// storeMask stores the elements in the mask.
func (t target) storeMask(from Op, m mask, to Mem) {
	if t.zmm {
		VMOVUPD(from, m.k, to)
	} else {
		VMASKMOVPD(from, m.v, to)
	}
}

// clean sets the elements outside the mask to zero, because a product of zero and infinity there must not reach a sum.
func (t target) clean(r Register, m mask) {
	if t.zmm {
		VMOVUPD_Z(r, m.k, r)
	} else {
		VANDPD(m.v, r, r)
	}
}

// sum returns the sum of the elements of v as the first element of an xmm register.
func (t target) sum(v Register) VecVirtual {
	x, y := XMM(), v.(VecVirtual).AsX()
	if t.zmm {
		// Only instructions that can address all 32 registers.
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
	VPERMILPD(U8(0b01), x, swap)
	t.add(swap, x, x)
	return x.(VecVirtual)
}

// sums returns a register whose element i is the sum of the elements of v[i]. len(v) is at most the number of elements
// of a register. Further elements are undefined. The registers of v are overwritten.
func (t target) sums(v []Register) Register {
	tmp := t.vec()
	// Each step halves the number of terms and joins two neighbours.
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

// halves returns the lower and the upper half of v, for AVX2.
func (t target) halves(v Register) (low, high Register) {
	high = XMM()
	VEXTRACTF128(U8(1), v, high)
	return v.(VecVirtual).AsX(), high
}

// storeSums stores the sum of the elements of each register, one after the other.
func (t target) storeSums(v []Register, to GPVirtual) {
	if len(v) < min(4, t.lanes/2) {
		for i := range v {
			t.storeFirst(t.sum(v[i]), at(to, nil, i*size))
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
	VADDSD(m, x, x)
}

// storeFirst stores the first element of an xmm register.
func (t target) storeFirst(x Op, to Mem) {
	VMOVSD(x, to)
}

// param loads an argument into a general register.
func param(name string) GPVirtual { return Load(Param(name), GP64()).(GPVirtual) }

// number returns the memory of a floating-point argument. Load and Store of avo use SSE instructions, which are slow
// while upper halves of registers are in use.
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
	SHLQ(U8(log2(size)), c)
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
