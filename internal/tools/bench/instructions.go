package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// counter counts instructions. It emulates processors without AVX-512.
const counter = "valgrind"

var counted = regexp.MustCompile(`Collected : (\d+)`)

// instructions returns the number of instructions of a run on one thread without garbage collection. Two counts of a
// program differ by less than a thousandth, also on a busy machine, where times differ by a third.
func instructions(program string, arguments []string) (float64, error) {
	const tries = 3 // the counter cannot always start a Go program
	var output []byte
	for range tries {
		c := exec.Command(counter, append([]string{"--tool=callgrind", "--callgrind-out-file=/dev/null", program}, arguments...)...)
		c.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
		output, _ = c.CombinedOutput()
		if found := counted.FindSubmatch(output); found != nil {
			return strconv.ParseFloat(string(found[1]), 64)
		}
	}
	return 0, fmt.Errorf("%s of %s %s counts nothing:\n%s", counter, program, strings.Join(arguments, " "), output)
}
