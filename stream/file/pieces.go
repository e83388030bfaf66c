package file

// pieces reads a table as lines of CSV. more makes the lines piece by piece.
type pieces struct {
	text []byte       // lines that Read has not returned yet
	err  error        // Read returns it after text
	more func() error // sets the next text, which may be empty
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
