package vec

// implementation is one of the versions in which the kernels exist.
type implementation int

const (
	portable implementation = iota
	avx2
	avx512
)

var implementationNames = [...]string{"portable", "avx2", "avx512"}

func (i implementation) String() string { return implementationNames[i] }

// Active names the implementation in use: portable, avx2 or avx512. Results
// depend on it in their last bits, so a checkpoint should record it.
func Active() string { return active.String() }
