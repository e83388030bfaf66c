package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// An old key is an error that names the new key: in a file, in the environment and in --set.
func TestRenamedKeys(t *testing.T) {
	keys := make(map[string]bool)
	leaves(reflect.TypeFor[Config](), "", func(path string, _ member) { keys[path] = true })
	for was, now := range renamed {
		if keys[was] || !keys[now] {
			t.Errorf("%s -> %s: the old name must not be a key, and the new one must", was, now)
		}
		block, key, _ := strings.Cut(was, ".")
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(file, []byte(block+":\n  "+key+": 1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			src  Sources
			want string
		}{
			{Sources{Files: []string{file}}, "renamed to " + now},
			{Sources{Set: []Setting{{was, "1", "--set"}}}, "renamed to " + now},
			{Sources{Environ: []string{variable(was) + "=1"}}, "renamed to " + variable(now)},
		} {
			if _, err := Load(c.src); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: error %v does not say %q", c.src, err, c.want)
			}
		}
	}
}
