package file

// pieces is a table as lines of CSV, which more makes a piece at a time.
type pieces struct {
	text []byte       // not yet read
	err  error        // behind text
	more func() error // makes the next text, which may be empty
}

// Read implements io.Reader.
func (p *pieces) Read(dst []byte) (int, error) {
	for len(p.text) == 0 && p.err == nil {
		p.err = p.more()
	}
	if len(p.text) == 0 {
		return 0, p.err
	}
	n := copy(dst, p.text)
	p.text = p.text[n:]
	return n, nil
}
