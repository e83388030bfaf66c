//go:build unix && !race

// Package python tests the wheel: what it has, and that the code of its page does what the page says.
package python

import (
	"fmt"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// command runs a program in dir, and returns what it printed.
func command(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "MPLCONFIGDIR="+dir, "MPLBACKEND=agg", "VERSION=v1.2.3")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	return string(out)
}

// TestWheel builds the wheel, installs it into a new environment, and runs there: the command, the
// code of docs/howto/python.md, and test_frames.py.
func TestWheel(t *testing.T) {
	python, dir := testserver.Python(t), t.TempDir()
	source, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	command(t, source, python, "-m", "hatchling", "build", "-t", "wheel", "-d", dir)
	wheels, err := filepath.Glob(filepath.Join(dir, "orffvar-1.2.3-py3-none-*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatalf("wheels %v, %v", wheels, err)
	}

	// The environment has the wheel; its dependencies are those of the cache, so that nothing is fetched.
	command(t, dir, python, "-m", "venv", "--without-pip", "env")
	env := filepath.Join(dir, "env", "bin")
	clean := filepath.Join(env, "python")
	packages := strings.TrimSpace(command(t, dir, clean, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"))
	start := time.Now()
	command(t, dir, python, "-m", "pip", "--python", clean, "install", "-q", "--no-index", "--no-deps", wheels[0])
	shared := strings.TrimSpace(command(t, dir, python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"))
	if err := os.WriteFile(filepath.Join(packages, "shared.pth"), []byte(shared+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if version := command(t, dir, filepath.Join(env, "forecaster"), "version"); !strings.HasPrefix(version, "forecaster v1.2.3 ") {
		t.Errorf("the version is %s", version)
	}
	if err := os.WriteFile(filepath.Join(dir, "macrodata.csv"), dataset.MacrodataCSV(), 0o644); err != nil {
		t.Fatal(err)
	}

	page, err := os.ReadFile("../../docs/howto/python.md")
	if err != nil {
		t.Fatal(err)
	}
	var program strings.Builder
	blocks := regexp.MustCompile("(?ms)^```python\n(.*?)^```$").FindAllSubmatch(page, -1)
	for _, b := range blocks {
		program.Write(b[1])
	}
	testSixLines(t, dir, clean, string(blocks[0][1]))
	t.Logf("from the wheel to the picture: %v", time.Since(start))
	command(t, dir, clean, "-P", "-W", "error", filepath.Join(source, "test_frames.py"))
	command(t, source, python, "-m", "mypy", "--cache-dir", filepath.Join(dir, "mypy"), "orffvar")
	printed := command(t, dir, clean, "-W", "error::FutureWarning", "-c", program.String())
	errors := regexp.MustCompile(`are (\S+) for AutoARIMA, (\S+) for ours, (\S+) for AutoETS and (\S+) for the\nseasonal naive`).FindSubmatch(page)
	if errors == nil {
		t.Fatal("the page does not say the errors beside statsforecast")
	}
	measured := fmt.Sprintf("AutoARIMA %s\nyhat %s\nAutoETS %s\nSeasonalNaive %s\n", errors[1], errors[2], errors[3], errors[4])
	for _, want := range []string{"of the targets are inside", "unemp", "rmse", "2010-07-01", "realcons", measured} {
		if !strings.Contains(printed, want) {
			t.Errorf("nothing printed %q:\n%s", want, printed)
		}
	}
}

// testSixLines runs the first program of the page, by itself and in an empty process. Its picture has
// the forecast and both bounds, each in a colour of its own.
func testSixLines(t *testing.T, dir, python, program string) {
	t.Helper()
	lines := 0
	for line := range strings.Lines(program) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	if lines > 6 {
		t.Errorf("%d lines, want six:\n%s", lines, program)
	}
	command(t, dir, python, "-W", "error::FutureWarning", "-c", program)
	file, err := os.Open(filepath.Join(dir, "unemp.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	painted := make(map[color.RGBA]int)
	size := picture.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			painted[color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)]++
		}
	}
	for name, c := range map[string]color.RGBA{"yhat": {0x1f, 0x77, 0xb4, 255}, "yhat-lo-90": {0xff, 0x7f, 0x0e, 255}, "yhat-hi-90": {0x2c, 0xa0, 0x2c, 255}} {
		if painted[c] < 100 {
			t.Errorf("%d pixels are of the line %s", painted[c], name)
		}
	}
}
