package file

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"unicode"
)

const (
	saveAs  = "save the sheet as CSV, or convert it with  soffice --headless --convert-to csv IN"
	noTable = "it has no rows; name another file"
	netCDF  = "write it as CSV with xarray: open_dataset, then to_dataframe and to_csv"
	stata   = "write it as CSV with pandas: read_stata, then to_csv"
	pickle  = "write it as Parquet with pandas: read_pickle, then to_parquet"
	unpack  = "unpack it, and name the file that was in it"
)

// openMetrics is the remedy for the text format of Prometheus: it writes samples with times as CSV in long form.
const openMetrics = `samples with times become CSV with  awk 'BEGIN {print "time,series,value"} !/^#/ && NF == 3 {gsub(/[",]+/, " ", $1); print $3 "," $1 "," $2}' IN > OUT.csv`

// promtoolDump is the remedy for a dump of promtool: it writes the samples as CSV in long form.
const promtoolDump = `write it as CSV with  awk 'BEGIN {print "time,series,value"} {v = $(NF - 1); t = $NF; $NF = $(NF - 1) = ""; gsub(/"/, ""); gsub(/[{}, ]+/, " "); gsub(/^ | $/, ""); print t "," $0 "," v}' IN > OUT.csv`

// kind is a known file of another format, by its first bytes, with the remedy.
type kind struct{ begins, name, remedy string }

// pipes are the kinds that are read in files, but not in standard input or a pipe.
var pipes = []kind{
	{"\x1f\x8b", "compressed by gzip", "decompress it with  gzip -dc"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd", "decompress it with  zstd -dc"},
	{"\xff\xfe", "UTF-16", "convert it with  iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", "UTF-16", "convert it with  iconv -f UTF-16 -t UTF-8"},
}

// kinds are all others.
var kinds = []kind{
	{"PAR1", "Parquet", ParquetFormat.Name},
	{"PK\x03\x04", "a workbook or another zip file", "rename a workbook of Excel to .xlsx; of others, " + saveAs},
	{"\xd0\xcf\x11\xe0", "a workbook of an old Excel, or with a password", saveAs},
	{"SQLite format 3\x00", "a SQLite database", "write a table as CSV with  sqlite3 -header -csv IN 'select * from TABLE' > OUT.csv"},
	{arrowMagic, "Arrow (Feather)", ArrowFormat.Name},
	{"\xff\xff\xff\xff", "a stream of Arrow, or of another kind", ArrowFormat.Name},
	{"FEA1", "Feather of version 1", ArrowFormat.Name},
	{"\x89HDF", "HDF5", "write it as Parquet with pandas: read_hdf, then to_parquet"},
	{"CDF\x01", "NetCDF", netCDF},
	{"CDF\x02", "NetCDF", netCDF},
	{"ORC", "ORC", "write it as Parquet with pandas: read_orc, then to_parquet"},
	{"<stata_dta>", "a file of Stata", stata},
	{"\x71\x02\x01", "a file of Stata", stata},
	{"\x72\x02\x01", "a file of Stata", stata},
	{"\x73\x02\x01", "a file of Stata", stata},
	{"$FL2", "a file of SPSS", "write it as CSV with pandas: read_spss, then to_csv"},
	{"MATLAB 5.0", "a file of MATLAB", "write the table as CSV with writetable"},
	{"\x93NUMPY", "an array of NumPy", "write it with times as CSV with pandas: DataFrame, then to_csv"},
	{"\x80\x04\x95", "a pickle", pickle},
	{"\x80\x05\x95", "a pickle", pickle},
	{"# HELP ", "the text format of Prometheus", openMetrics},
	{"# TYPE ", "the text format of Prometheus", openMetrics},
	{"{__name__=", "a dump of promtool", promtoolDump},
	{"Obj\x01", "Avro", "write it as JSON lines with  avro cat IN > OUT.jsonl"},
	{"\xfd7zXZ", "compressed by xz", "decompress it with  xz -d IN"},
	{"BZh91AY", "compressed by bzip2", "decompress it with  bzip2 -d IN"},
	{"7z\xbc\xaf", "a 7z archive", unpack},
	{"Rar!", "a RAR archive", unpack},
	{"\x89PNG", "a picture", noTable},
	{"\xff\xd8\xff", "a picture", noTable},
	{"GIF8", "a picture", noTable},
	{"%PDF-", "PDF", noTable},
	{"\x7fELF", "a program", noTable},
	{"MZ\x90", "a program", noTable},
	{"<!doctype html", "a web page", "the server has sent a page in the place of the file, often one that asks for a password"},
	{"<html", "a web page", "the server has sent a page in the place of the file, often one that asks for a password"},
	{"<table", "a web page", "write its table as CSV with pandas: read_html, then to_csv"},
	{"<?xml", "XML", "convert it to CSV or JSON lines"},
}

// peek returns the first bytes of the file without consuming them.
func (s *Source) peek() ([]byte, error) {
	b, err := s.lines.Peek(sampleBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return b, nil
}

// checkText returns an error for a file that is not text. The error has the kind of the file and the remedy.
func (s *Source) checkText() error {
	b, err := s.peek()
	if err != nil {
		return err
	}
	if err := s.checkKind(b, kinds); err != nil {
		return err
	}
	first, _, _ := bytes.Cut(b, []byte("\n"))
	switch at := bytes.IndexFunc(first, isControl); {
	case at < 0 && isBinary(b):
		return fmt.Errorf("%s is no text: it has bytes that no text has; CSV, JSON lines, line protocol and Parquet are read: name another file", s.path)
	case at < 0:
		return nil
	case at == 1 && b[at] == 0 && len(b) > 3 && b[3] == 0:
		return fmt.Errorf("%s is UTF-16 without a byte order mark: convert it with  iconv -f UTF-16LE -t UTF-8 IN > OUT", s.path)
	case at == 0 && len(b) > 3 && b[0] == 0 && b[2] == 0: // the byte order mark of UTF-32 begins like that of UTF-16
		return fmt.Errorf("%s is UTF-32: convert it with  iconv -f UTF-32 -t UTF-8 IN > OUT", s.path)
	default:
		return fmt.Errorf("%s is no text: line 1 has the byte %#02x at %d; CSV, JSON lines, line protocol and Parquet are read", s.path, b[at], at+1)
	}
}

// checkPipe returns an error if the first line of standard input or a pipe begins a file of another kind. It looks at
// this line alone: the next one may come much later.
func (s *Source) checkPipe() error {
	if s.live == nil || s.began {
		return nil
	}
	return cmp.Or(s.checkKind(s.line, pipes), s.checkKind(s.line, kinds))
}

// checkKind returns an error with the remedy for a text that begins like one of the kinds.
func (s *Source) checkKind(b []byte, kinds []kind) error {
	begin := bytes.ToLower(bytes.TrimLeft(b[:min(len(b), 64)], "\ufeff \r\n"))
	for _, k := range kinds {
		if bytes.HasPrefix(b, []byte(k.begins)) || k.begins[0] == '<' && bytes.HasPrefix(begin, []byte(k.begins)) {
			if k.remedy == ParquetFormat.Name || k.remedy == ArrowFormat.Name {
				k.remedy = "read it with  " + s.setting.Set("SourceConfig.Format", k.remedy)
			}
			return fmt.Errorf("%s is %s, not CSV, JSON lines or line protocol: %s", s.path, k.name, k.remedy)
		}
	}
	return nil
}

// isBinary reports whether at least three bytes, and more than one of fifty, are control characters other than
// NUL. NUL does not count: a crash leaves NULs after the last line of a text.
func isBinary(b []byte) bool {
	odd := 0
	for _, c := range b {
		if c != 0 && isControl(rune(c)) {
			odd++
		}
	}
	return odd >= 3 && 50*odd > len(b)
}

// isControl reports whether no text contains the character r. 0x1a is allowed: it ends DOS files.
func isControl(r rune) bool { return r < ' ' && !unicode.IsSpace(r) && r != 0x1a }
