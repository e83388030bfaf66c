package file

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// readStrings reads the shared strings.
func (w *workbook) readStrings(name string) error {
	r, err := w.part(name)
	if err != nil {
		return err
	}
	defer r.Close()
	x := newTags(r)
	total := 0
	for {
		t, err := x.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w (%s: %w)", errWorkbook, name, err)
		}
		if start, ok := t.(xml.StartElement); ok && start.Name.Local == "si" {
			text, err := x.text("si")
			if err != nil {
				return fmt.Errorf("%w (%s: %w)", errWorkbook, name, err)
			}
			if total += len(text) + 16; total > mostStrings {
				return fmt.Errorf("the texts of the workbook are longer than %d MiB: save the sheet as CSV", mostStrings>>20)
			}
			w.strings = append(w.strings, text)
		}
	}
}

// tags reads XML. It limits the number of bytes between two tags.
type tags struct {
	*xml.Decoder
	part    io.Reader
	n, mark int64
}

func newTags(r io.Reader) *tags {
	t := &tags{part: r}
	t.Decoder = xml.NewDecoder(t)
	return t
}

func (t *tags) Read(p []byte) (int, error) {
	if t.n-t.mark > mostCellText {
		return 0, fmt.Errorf("a text is longer than %d MiB", mostCellText>>20)
	}
	n, err := t.part.Read(p)
	t.n += int64(n)
	return n, err
}

func (t *tags) next() (xml.Token, error) {
	token, err := t.Token()
	t.mark = t.InputOffset()
	return token, err
}

// text returns the text of the elements t up to the end tag. Phonetic texts do not count.
func (t *tags) text(end string) (string, error) {
	var b strings.Builder
	in, spoken := false, false
	for {
		token, err := t.next()
		if err != nil {
			return "", noEnd(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			in = e.Name.Local == "t"
			spoken = spoken || e.Name.Local == "rPh"
		case xml.EndElement:
			switch in = false; e.Name.Local {
			case "rPh":
				spoken = false
			case end:
				return b.String(), nil
			}
		case xml.CharData:
			if in && !spoken {
				if b.Write(e); b.Len() > mostCellText {
					return "", fmt.Errorf("a text is longer than %d MiB", mostCellText>>20)
				}
			}
		}
	}
}

// noEnd turns io.EOF, within an element, into an error.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
