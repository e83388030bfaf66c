//go:build !amd64

package main

func multiplyAdds(n int)          { multiplyAddsPortable(n) }
func read(p *float64, n int)      { readPortable(p, n) }
func readWrite(p *float64, n int) { readWritePortable(p, n) }
