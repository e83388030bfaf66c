//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestFault89_AddressSpace: the models of a process with a limit of its address space get less than it.
func TestFault89_AddressSpace(t *testing.T) {
	t.Parallel()
	const limit = 6000 // MiB: the system refuses threads near 1,000
	run := `ulimit -v ` + strconv.Itoa(limit<<10) + ` || exit 99; exec "$@"`
	out, err := exec.Command("sh", "-c", run, "sh", "forecaster", "run", "--set", "input.simulated.rows=100", "--set", "output.discard={}", "--set", "log.format=json").CombinedOutput()
	if e := (*exec.ExitError)(nil); err != nil && errors.As(err, &e) && e.ExitCode() == 99 {
		t.Skip("the shell cannot limit the address space")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := regexp.MustCompile(`"memory":"(\d+)MiB"`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("no memory in\n%s", out)
	}
	if n, err := strconv.Atoi(string(m[1])); err != nil || n < 100 || n > limit*2/3 {
		t.Errorf("%s MiB for the models of a process with %d", m[1], limit)
	}
}

// TestFault39_SlowDisk: a disk that takes 100 ms for each sync delays the points. A failed sync ends the process
// with an error that names the file, and the next start writes the missing points.
func TestFault39_SlowDisk(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed: apt-get install strace")
	}
	dir := t.TempDir()
	in := map[string]string{"calm": writeSeries(t, dir)}
	in["slow"], in["failing"] = in["calm"], filepath.Join(dir, "growing", "data.csv")
	rows := readFile(t, in["calm"])
	half := bytes.IndexByte(rows[len(rows)/2:], '\n') + len(rows)/2 + 1
	args := func(name string) []string {
		return []string{
			"forecaster", "run", "--set", "input.file.path=" + in[name], "--set", "output.file.path=" + filepath.Join(dir, name+".csv"),
			"--set", "state.dir=" + filepath.Join(dir, name), "--set", "state.records=100", "--set", "model.type=var1", "--set", "log.level=error",
		}
	}
	inject := func(what, name string) (string, error) {
		out, err := exec.Command(strace, append([]string{"-f", "-qq", "-o", filepath.Join(dir, "trace"), "-e", "trace=fsync", "-e", "inject=fsync:" + what}, args(name)...)...).CombinedOutput()
		if strings.Contains(string(out), "PTRACE") || strings.Contains(string(out), "ptrace") {
			t.Skipf("strace may not trace: %s", out)
		}
		return string(out), err
	}
	if out, err := exec.Command(args("calm")[0], args("calm")[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := inject("delay_enter=100000", "slow"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// strace counts the calls of each thread, so every sync of the second half fails.
	if err := os.Mkdir(filepath.Dir(in["failing"]), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, in["failing"], rows[:half])
	if out, err := exec.Command(args("failing")[0], args("failing")[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	writeFile(t, in["failing"], rows)
	if out, err := inject("error=EIO", "failing"); err == nil || !strings.Contains(out, "input/output error") || !strings.Contains(out, dir) {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(args("failing")[0], args("failing")[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := readFile(t, filepath.Join(dir, "calm.csv"))
	for _, name := range []string{"slow", "failing"} {
		if !bytes.Equal(readFile(t, filepath.Join(dir, name+".csv")), want) {
			t.Errorf("%s: other points than with a calm disk", name)
		}
	}
}
