//go:build !race

package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
)

var (
	inlineCode   = regexp.MustCompile("`([^`\n]+)`")
	indentedCode = regexp.MustCompile(`(?m)^(?: {4,}|\t)\S.*$`)
	yamlBlock    = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")
	continued    = regexp.MustCompile(`\\\n\s*`)
	command      = regexp.MustCompile(`(?:^|[\s/(\x60])forecaster +([a-z]+.*?)(?: \.\.\.|   .*)?$`) // what it does follows several spaces
)

// codeOf returns the lines of code of a page: in blocks, and in sentences.
func codeOf(page string) (lines []string) {
	page = continued.ReplaceAllString(page, " ")
	for _, block := range fence.FindAllString(page, -1) {
		lines = append(lines, strings.Split(block, "\n")...)
	}
	page = fence.ReplaceAllString(page, "")
	lines = append(lines, indentedCode.FindAllString(page, -1)...)
	for _, m := range inlineCode.FindAllStringSubmatch(page, -1) {
		lines = append(lines, m[1])
	}
	return lines
}

// firstCommand returns the words of a line of a shell up to its first operator or comment, or "...".
func firstCommand(line string) (words []string) {
	var word strings.Builder
	var quote rune
	begun := false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			end()
		case strings.ContainsRune("|><&;()", r) || r == '#' && !begun:
			end()
			return words
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return words
}

// texts are all pages, and the files for users that are shipped.
func texts(t *testing.T) map[string]string {
	t.Helper()
	all := pages(t)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(filepath.Join(root, "configs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && slices.Contains([]string{".yaml", ".service", ".toml", ".sh"}, filepath.Ext(path)) {
			rel, _ := filepath.Rel(root, path)
			all[filepath.ToSlash(rel)] = string(readFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDocumentedCommands: the parser of the program accepts every command that a page or a shipped file
// names, with its flags, its arguments and its settings.
func TestDocumentedCommands(t *testing.T) {
	verbs := make(map[string]bool)
	for _, c := range new(app).root().Commands() {
		verbs[c.Name()] = true
	}
	all := texts(t)
	shipped, err := filepath.Abs("../../configs/forecaster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	writeFile(t, "events.csv", []byte("name,from,to\nholiday,2026-12-25,2026-12-26\n"))
	tried := make(map[string]bool)
	for name, text := range all {
		lines := codeOf(text)
		if filepath.Ext(name) != ".md" {
			lines = strings.Split(text, "\n")
		}
		for _, line := range lines {
			m := command.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			words := firstCommand(strings.TrimSuffix(m[1], " [flags]")) // of a line of usage
			if len(words) == 0 || !verbs[words[0]] {
				continue
			}
			if err := parses(words, shipped); err != nil {
				t.Errorf("%s: forecaster %s: %v", name, m[1], err)
			}
			tried[strings.Join(words, " ")] = true
		}
	}
	if len(tried) < 70 {
		t.Errorf("found %d commands", len(tried))
	}
}

// parses returns the error of a command line, which is not run. Any file of -c is the shipped one.
func parses(words []string, shipped string) error {
	a := &app{environ: []string{"INFLUX_TOKEN=secret"}}
	cmd, rest, err := a.root().Find(words)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	// A verb alone in a sentence names the command.
	if args := cmd.Flags().Args(); len(rest) > 0 && cmd.Runnable() {
		if err := cmd.ValidateArgs(args); err != nil {
			return err
		}
	}
	for i := range a.files {
		a.files[i] = shipped
	}
	_, err = a.load(cmd, modelSettings)
	return err
}

// TestDocumentedKeys: every key of the configuration that a page names in full is in the list of all keys,
// which internal/config compares with the program.
func TestDocumentedKeys(t *testing.T) {
	all := pages(t)
	known := make(map[string]bool) // keys and the blocks that they are in
	for _, m := range regexp.MustCompile("(?m)^- `([a-z_]+[.][a-z_.]+)`").FindAllStringSubmatch(all["docs/configuration.md"], -1) {
		for key, more := m[1], true; more; key, _, more = cutLast(key) {
			known[key] = true
		}
	}
	known["pipeline.assembly"] = true // of checkpoints alone
	tried := make(map[string]bool)
	for name, text := range all {
		for _, m := range inlineCode.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			key := fullKey.FindString(m[1])
			block, _, _ := strings.Cut(key, ".")
			if !known[block] || strings.HasPrefix(m[1], key+"*") {
				continue
			}
			tried[key] = true
			if !known[key] {
				t.Errorf("%s: there is no key %s", name, key)
			}
		}
	}
	if len(tried) < 150 {
		t.Errorf("found %d keys", len(tried))
	}
}

var fullKey = regexp.MustCompile(`^[a-z_]+(?:\.[a-z_0-9]+)+`)

// cutLast cuts a key at its last dot.
func cutLast(key string) (block, last string, found bool) {
	i := strings.LastIndexByte(key, '.')
	if i < 0 {
		return "", key, false
	}
	return key[:i], key[i+1:], true
}

// TestDocumentedConfigurations: every configuration on a page, alone or among the values of the chart, is
// loaded without an error.
func TestDocumentedConfigurations(t *testing.T) {
	loaded := 0
	for name, text := range pages(t) {
		for _, m := range yamlBlock.FindAllStringSubmatch(text, -1) {
			var keys map[string]any
			if err := yaml.Unmarshal([]byte(m[1]), &keys); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if keys["storage"] != nil { // a configuration of Prometheus
				continue
			}
			content := []byte(m[1])
			if inner, ok := keys["config"]; ok {
				var err error
				if content, err = yaml.Marshal(inner); err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join(t.TempDir(), "forecaster.yaml")
			writeFile(t, file, content)
			if _, err := wire.Load(config.Sources{Files: []string{file}, Environ: []string{"INFLUX_TOKEN=secret"}}); err != nil {
				t.Errorf("%s: %v in\n%s", name, err, content)
			}
			loaded++
		}
	}
	if loaded < 15 {
		t.Errorf("found %d configurations", loaded)
	}
}
