package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// queryTests matches the tests that evaluate the queries of dashboards and alerts. Other tests compare the files with
// their source.
const queryTests = "Queries|Rules|Alerts"

// queryLine matches a line with a query or a condition of an alert. blockOfQuery matches the start of a query of several
// lines.
var (
	queryLine    = regexp.MustCompile(`^[ -]*(?:"(?:query|expr)": "|expr: |- evaluator: )`)
	blockOfQuery = regexp.MustCompile(`^( *)query: \|$`)
)

// queryWords maps functions, fields and operators of queries to their replacements in mutants.
var queryWords = map[string]string{
	"mean": "max", "max": "mean", "min": "max", "sum": "max", "count": "sum", "last": "first", "first": "last",
	"avg_over_time": "max_over_time", "max_over_time": "avg_over_time", "last_over_time": "min_over_time", "count_gt_over_time": "count_le_over_time",
	"increase": "delta", "rate": "delta", "deriv": "sum_over_time", "gt": "lt", "lt": "gt",
	"rmse": "mse", "scv_mse": "mse", "skill_vs_persistence": "skill_vs_var", "skill_vs_var": "skill_vs_persistence", "coverage": "width", "width": "coverage",
	"observation": "forecast", "forecast": "observation", "drift": "season",
	"and": "or", "AND": "OR", "desc": "asc", "==": "!=", "!=": "==", "=~": "!~", "<": ">", ">": "<", `\u003c`: `\u003e`, `\u003e`: `\u003c`, "+": "-", "-": "+", "*": "/", "/": "*",
}

// queryToken matches a word, a number, or an operator between spaces.
var queryToken = regexp.MustCompile(`[A-Za-z_]\w*|\d+(?:\.\d+)?|(?: )(?:[=!]=|=~|[<>+*/-]|\\u003[ce])(?: )`)

// afterTime matches InfluxQL before an AND that follows the range of time. There an OR is equivalent, because the range
// restricts the points in any case.
var afterTime = regexp.MustCompile(`(?:\$timeFilter|\$\{__from\}ms) $`)

// sitesOfQueries returns the sites in the queries of a dashboard or of alerts.
func sitesOfQueries(text []byte) (sites []site) {
	at, n, block := 0, 0, -1 // block is the indentation of the present query; -1: none
	for line := range bytes.Lines(text) {
		n++
		from := at
		at += len(line)
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		if block >= 0 && indent <= block {
			block = -1
		}
		head := queryLine.Find(line)
		switch m := blockOfQuery.FindSubmatch(bytes.TrimRight(line, "\n")); {
		case m != nil:
			block = len(m[1])
			continue
		case head == nil && block < 0:
			continue
		}
		for _, m := range queryToken.FindAllIndex(line[len(head):], -1) {
			first, last := from+len(head)+m[0], from+len(head)+m[1]
			token := strings.Trim(string(text[first:last]), " ")
			if token != string(text[first:last]) {
				first, last = first+1, last-1
			}
			add := func(kind, instead string) {
				sites = append(sites, site{line: n, runs: n, from: first, to: last, text: instead, kind: kind})
			}
			if token == "AND" && afterTime.Match(text[from:first]) {
				continue
			}
			if other, ok := queryWords[token]; ok {
				add("query", other)
			} else if v, err := strconv.Atoi(token); err == nil {
				add("boundary", strconv.Itoa(v+1))
			} else if v, err := strconv.ParseFloat(token, 64); err == nil {
				add("boundary", strconv.FormatFloat(2*v, 'g', -1, 64))
			}
		}
	}
	return sites
}

// isQueries reports whether a file has queries of dashboards or alerts. Tests read such files at run time.
func isQueries(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".json" || ext == ".yaml"
}

// queryFiles returns the files of dashboards and alerts of a package, relative to its folder.
func queryFiles(p *source) (all []string, err error) {
	if len(p.GoFiles) > 0 {
		return nil, nil
	}
	err = filepath.WalkDir(p.Dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && isQueries(path) {
			path, err = filepath.Rel(p.Dir, path)
			all = append(all, path)
		}
		return err
	})
	return all, err
}

// copyTree copies the module into a folder.
func copyTree(dir string) error {
	return filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Name() == ".git" && e.IsDir():
			return filepath.SkipDir
		case e.IsDir():
			return os.MkdirAll(filepath.Join(dir, path), 0o755)
		case !e.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path), text, 0o755) // #nosec G306 -- some are scripts
	})
}
