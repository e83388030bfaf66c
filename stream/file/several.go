package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/sniff"
)

// mostFiles is the largest number of files in a data set.
const mostFiles = 100_000

// IsSeveral reports whether a path is a folder or a pattern of files.
func IsSeveral(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || err != nil && strings.ContainsAny(path, "*?[")
}

// FormatOfSeveral returns FormatOf for the files in a folder, or for the files that a pattern matches.
func FormatOfSeveral(path string, formats ...Format) string {
	files, err := expand([]string{path}, &SourceConfig{Formats: formats})
	if err != nil {
		return "" // OpenSource reports the error
	}
	return FormatOf(files[0], formats...)
}

// expand returns the files of paths, each of which is a file, a folder or a pattern.
func expand(paths []string, c *SourceConfig) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir():
			found, err := filesOf(path, c)
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		case err != nil && strings.ContainsAny(path, "*?["):
			found, bad := filepath.Glob(path)
			if bad != nil {
				return nil, fmt.Errorf("%s: %w", path, bad)
			}
			found = slices.DeleteFunc(found, func(f string) bool { info, err := os.Stat(f); return err != nil || info.IsDir() })
			if len(found) == 0 {
				return nil, fmt.Errorf("%s: no file fits this pattern; correct it, or name the files", path)
			}
			files = append(files, found...)
		default:
			files = append(files, path)
		}
	}
	seen := make(map[string]bool)
	for _, f := range files {
		if seen[filepath.Clean(f)] {
			return nil, fmt.Errorf("%s is named twice: name each file once", f)
		}
		seen[filepath.Clean(f)] = true
	}
	if len(files) > mostFiles {
		return nil, fmt.Errorf("%s: %d files, at most %d are read: name fewer", paths[0], len(files), mostFiles)
	}
	return files, nil
}

// filesOf returns the data files in a folder and in its partitions, the folders named column=value. Names that
// begin with . or _ do not count.
func filesOf(dir string, c *SourceConfig) (files []string, err error) {
	kinds := make(map[string]string) // one file per format
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		hidden := path != dir && (e.Name()[0] == '.' || e.Name()[0] == '_')
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != dir && (hidden || !strings.Contains(e.Name(), "=")):
			return filepath.SkipDir
		case e.IsDir() || hidden:
			return nil
		}
		kind := cmp.Or(c.Format, FormatOf(path, c.Formats...))
		if kind == "" && extension(path) == ".txt" {
			kind = ".txt"
		}
		if kind != "" {
			kinds[kind] = path
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s is a directory without files of data (%s): name the files, or their format with %s", dir, either(c.Formats), c.Names.Set("SourceConfig.Format", "csv"))
	}
	if len(kinds) > 1 {
		var names []string
		for _, path := range kinds {
			names = append(names, filepath.Base(path))
		}
		slices.Sort(names)
		return nil, fmt.Errorf("%s has files of %d kinds (%s), and files of one kind are a data set: name one kind, as '%s'", dir, len(kinds), strings.Join(names, ", "), filepath.Join(dir, "*"+filepath.Ext(names[0])))
	}
	return files, nil
}

// openSet opens files of one format as one Source: in the order of their first times, or in the order of their
// names if each file is a series.
func openSet(name string, files []string, c SourceConfig) (*Source, error) {
	type begun struct {
		path    string
		time    int64
		columns []string
	}
	list := make([]begun, len(files))
	sorted := c.Sort
	c.Sort = false
	more := seriesByFolders(&c, files)
	var size int64
	for i, path := range files {
		s, err := openAs(path, c)
		if err != nil {
			return nil, err
		}
		if s.live != nil {
			s.Close()
			return nil, fmt.Errorf("%s: several files must be regular ones", path)
		}
		list[i] = begun{path, s.firstTime(), s.columns()}
		for _, a := range s.assumptions {
			if !slices.Contains(more, a) {
				more = append(more, a)
			}
		}
		if size += s.size; s.size == 0 {
			size = -1 << 60 // unknown: the sum stays negative
		}
		s.Close()
	}
	slices.SortStableFunc(list, func(a, b begun) int {
		if c.PerFile {
			return strings.Compare(a.path, b.path)
		}
		return cmp.Or(cmp.Compare(a.time, b.time), strings.Compare(a.path, b.path))
	})
	set := &set{name: name, perFile: c.PerFile}
	for _, b := range list[1:] {
		if one, other := list[0], b; !slices.Equal(one.columns, other.columns) {
			return nil, otherColumns(one.path, other.path, one.columns, other.columns)
		}
		set.rest = append(set.rest, b.path)
	}
	if !c.PerFile {
		c.Series = cmp.Or(c.Series, seriesOf(name, files))
	}
	if c.Sort = sorted; sorted {
		c.set = set
	}
	s, err := openAs(list[0].path, c)
	if err != nil {
		return nil, err
	}
	s.set = set // only now: before, openAs may reverse the rows of the first file
	s.size, s.assumptions = max(0, size), more
	return s, nil
}

// columns returns the column names of a table; nil without a header.
func (s *Source) columns() []string {
	if len(s.names) == 0 {
		return nil
	}
	names, err := format.ParseHeader(s.names, s.found.CSV.Comma)
	if err != nil {
		return nil // OpenSource has reported the error
	}
	return names
}

// otherColumns returns the error of two files whose columns differ.
func otherColumns(one, other string, columns, others []string) error {
	lack := func(path string, have, want []string) (text []string) {
		const most = 5
		missing := slices.DeleteFunc(slices.Clone(want), func(name string) bool { return slices.Contains(have, name) })
		for _, name := range missing[:min(most, len(missing))] {
			text = append(text, strconv.Quote(name))
		}
		switch {
		case len(missing) > most:
			return []string{fmt.Sprintf("%s lacks %s and %d more", path, strings.Join(text, ", "), len(missing)-most)}
		case len(missing) > 0:
			return []string{path + " lacks " + strings.Join(text, ", ")}
		}
		return nil
	}
	differences := append(lack(other, others, columns), lack(one, columns, others)...)
	if differences == nil {
		differences = []string{"the order is another one"}
	}
	return fmt.Errorf("%s has not the columns of %s: %s. Several files are one data set if they have the same columns in the same order: name each file alone, in a command of its own, or name only files whose columns are the same",
		other, one, strings.Join(differences, "; "))
}

// seriesOf returns the name of the series in files: the common beginning of their names, or the folder.
func seriesOf(name string, files []string) string {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		abs, err := filepath.Abs(name)
		if err != nil {
			abs = name
		}
		base := filepath.Base(abs)
		return cmp.Or(strings.TrimSuffix(base, filepath.Ext(base)), base)
	}
	common := filepath.Base(files[0])
	common = strings.TrimSuffix(common, filepath.Ext(common))
	for _, f := range files[1:] {
		for !strings.HasPrefix(filepath.Base(f), common) {
			common = common[:len(common)-1]
		}
	}
	folder, err := filepath.Abs(filepath.Dir(files[0]))
	if err != nil {
		folder = filepath.Dir(files[0])
	}
	return cmp.Or(strings.TrimRight(common, " -_.0123456789"), filepath.Base(folder))
}

// firstTime returns the time of the first record; 0 without a record.
func (s *Source) firstTime() int64 {
	messages, decoder := make([]stream.Message, 1), s.Decoder()
	for range 100 {
		n, err := s.Read(context.Background(), messages)
		if err != nil || n == 0 {
			return 0
		}
		var at int64
		found := false
		for r, err := range records(decoder, &messages[0]) {
			if err == nil {
				at, found = r.Time, true
			}
		}
		if found {
			return at
		}
	}
	return 0
}

// set is the state of a Source of several files.
type set struct {
	name    string   // name of the data set
	perFile bool     // each file is one series
	rest    []string // files not read yet
	lines   int64    // number of lines before the current file
}

// nextFile opens the next file of a set. It returns io.EOF after the last file.
func (s *Source) nextFile() error {
	if s.set == nil || len(s.set.rest) == 0 {
		return io.EOF
	}
	c := s.found
	c.Sort, c.set, c.read = false, nil, s.read
	if s.set.perFile {
		c.Series = ""
	}
	next, err := openAs(s.set.rest[0], c)
	if err != nil {
		return fmt.Errorf("%w; it is read as %s is, because several files are one data set: name each file alone, in a command of its own", err, s.path)
	}
	s.set.rest = s.set.rest[1:]
	if one, other := bytesOf(s.names), bytesOf(next.names); one != other {
		next.Close()
		return fmt.Errorf("%s begins with %s and %s with %s, and the files of a data set begin with the same line: give them the same one, or name each file alone, in a command of its own", s.path, one, next.path, other)
	}
	if err := s.file.Close(); err != nil {
		return err
	}
	s.set.lines = s.next - next.next
	s.file, s.lines, s.path, s.comments, s.names = next.file, next.lines, next.path, next.comments, next.names
	if s.set.perFile {
		s.key = next.key
	}
	return nil
}

func bytesOf(header []byte) string { return strings.ReplaceAll(string(header), `"`, "") }

// CheckOrder returns an error unless each record is later than all records of its series in the files before. It
// reads all files.
func (s *Source) CheckOrder(ctx context.Context) error {
	if s.set == nil || s.sort {
		return nil
	}
	type end struct {
		time int64
		file string
	}
	ends, before := make(map[string]end), make(map[string]end) // in the current file, and in the files before
	file, decoder := s.path, s.Decoder()
	messages := make([]stream.Message, 1)
	for {
		_, err := s.Read(ctx, messages)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if s.path != file {
			for series, e := range ends {
				if e.time > before[series].time || before[series].file == "" {
					before[series] = e
				}
			}
			clear(ends)
			file = s.path
		}
		for r, bad := range records(decoder, &messages[0]) {
			if bad != nil {
				continue // Read refuses it
			}
			if b := before[r.Series]; b.file != "" && r.Time <= b.time {
				err = fmt.Errorf("%s and %s overlap in time: series %q has %s in the first and then %s in the second. Make each file a series with  %s , or merge their rows in the order of time with  %s , or name fewer files",
					b.file, file, r.Series, timeText(b.time), timeText(r.Time), s.setting.Set("SourceConfig.PerFile", "true"), s.setting.Set(sniff.SortField, "true"))
			}
			if e := ends[r.Series]; e.file == "" || r.Time > e.time {
				ends[r.Series] = end{r.Time, file}
			}
		}
		if err != nil {
			return err
		}
	}
}

func timeText(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339) }
