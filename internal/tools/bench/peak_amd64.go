package main

func multiplyAdds(n int) {
	switch lanes() {
	case 8:
		multiplyAddsAVX512(n)
	case 4:
		multiplyAddsAVX2(n)
	default:
		multiplyAddsPortable(n)
	}
}

func read(p *float64, n int) {
	switch lanes() {
	case 8:
		readAVX512(p, n)
	case 4:
		readAVX2(p, n)
	default:
		readPortable(p, n)
	}
}

func readWrite(p *float64, n int) {
	switch lanes() {
	case 8:
		readWriteAVX512(p, n)
	case 4:
		readWriteAVX2(p, n)
	default:
		readWritePortable(p, n)
	}
}
