// Command roof writes the kernels for the peak rates of the processor in internal/tools/bench.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	flag.Parse()
	for _, wide := range []bool{false, true} {
		multiplyAdds(wide)
		stream("read", wide, false)
		stream("readWrite", wide, true)
	}
	Generate()
}

func name(s string, wide bool) string {
	if wide {
		return s + "AVX512"
	}
	return s + "AVX2"
}

func vec(wide bool) VecVirtual {
	if wide {
		return ZMM()
	}
	return YMM()
}

func begin(s, signature, doc string, wide bool) {
	TEXT(name(s, wide), NOSPLIT, signature)
	Pragma("noescape")
	Doc(name(s, wide) + " " + doc)
}

// multiplyAdds runs twelve independent chains, more than two units with latency 4 need.
func multiplyAdds(wide bool) {
	begin("multiplyAdds", "func(n int)", "does 12 n multiply-adds of full registers.", wide)
	n := Load(Param("n"), GP64()).(GPVirtual)
	zero := GP64()
	XORQ(zero, zero)
	var acc [12]VecVirtual
	for i := range acc {
		acc[i] = vec(wide)
		VMOVQ(zero, acc[i].AsX())
		VBROADCASTSD(acc[i].AsX(), acc[i])
	}
	Label("loop")
	for i := range acc {
		VFMADD231PD(acc[i], acc[i], acc[i])
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// stream loops over n bytes, a multiple of eight registers of 64 bytes.
func stream(s string, wide, write bool) {
	begin(s, "func(p *float64, n int)", "goes over n bytes, a multiple of 512.", wide)
	p := Load(Param("p"), GP64()).(GPVirtual)
	n := Load(Param("n"), GP64()).(GPVirtual)
	size := 32
	if wide {
		size = 64
	}
	v := vec(wide)
	Label("loop")
	for off := 0; off < 512; off += size {
		VMOVUPD(Mem{Base: p, Disp: off}, v)
		if write {
			VMOVUPD(v, Mem{Base: p, Disp: off})
		}
	}
	ADDQ(U32(512), p)
	SUBQ(U32(512), n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
