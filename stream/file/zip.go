package file

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/orffvar/forecaster/internal/shell"
)

// unzip returns the text of the only file in a zip archive, and its name. For a workbook, which is a zip archive
// of parts, it returns nil and "".
func unzip(f *os.File, size int64, read *atomic.Int64) (r *bufio.Reader, name string, err error) {
	z, err := zip.NewReader(&counterAt{f, read}, size)
	if err != nil {
		return nil, "", fmt.Errorf("the zip archive is damaged: copy it again (%w)", err)
	}
	var files []*zip.File
	var names []string
	for _, m := range z.File {
		base := path.Base(m.Name)
		switch {
		case m.Name == "[Content_Types].xml" || m.Name == "mimetype":
			return nil, "", nil
		case m.FileInfo().IsDir() || strings.HasPrefix(base, ".") || strings.HasPrefix(m.Name, "__MACOSX/"):
			continue
		}
		files = append(files, m)
		if len(names) < 5 {
			names = append(names, m.Name)
		}
	}
	if len(files) != 1 {
		path := shell.Quote(f.Name())
		if len(files) == 0 {
			return nil, "", errors.New("the zip archive has no file: name another one")
		}
		return nil, "", fmt.Errorf("the zip archive has %d files (%s), and one is read: unpack it with  unzip %s -d OUT  and name OUT, if they are of one kind and have the same columns, or take one out with  unzip -p %[3]s %s > OUT%[5]s",
			len(files), strings.Join(names, ", "), path, shell.Quote(files[0].Name), filepath.Ext(files[0].Name))
	}
	if files[0].UncompressedSize64 > longestText {
		return nil, "", errLongText
	}
	text, err := files[0].Open()
	if errors.Is(err, zip.ErrAlgorithm) || files[0].Flags&1 != 0 {
		return nil, "", errors.New("the zip archive is encrypted, or compressed by another method than deflate: unpack it first")
	}
	if err != nil {
		return nil, "", fmt.Errorf("the zip archive is damaged: copy it again (%w)", err)
	}
	return bufio.NewReaderSize(&unpacked{text: text, packed: read, zip: true}, sampleBytes), files[0].Name, nil
}

// counterAt counts the bytes that are read through it.
type counterAt struct {
	r io.ReaderAt
	n *atomic.Int64
}

func (c *counterAt) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.r.ReadAt(p, at)
	c.n.Add(int64(n))
	return n, err
}
