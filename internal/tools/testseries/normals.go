package testseries

import "math/rand/v2"

// Normals returns n samples of dim independent N(0, 1). Their best forecast is 0.
func Normals(seed uint64, n, dim int) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, dim)
		for j := range rows[i] {
			rows[i][j] = r.NormFloat64()
		}
	}
	return rows
}
