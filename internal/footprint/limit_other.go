//go:build !unix

package footprint

func addressSpace() (uint64, error) { return 0, errUnlimited }
