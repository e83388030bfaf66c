package file

import (
	"errors"
	"fmt"
	"time"
)

// arrowKind is the number of a type in Arrow's union Type.
type arrowKind int64

const (
	arrowNull arrowKind = iota + 1
	arrowInt
	arrowFloat
	arrowBinary
	arrowUtf8
	arrowBool
	arrowDecimal
	arrowDate
	arrowTime
	arrowTimestamp
	arrowInterval
	arrowList
	arrowStruct
	arrowUnion
	arrowFixedBinary
	arrowFixedList
	arrowMap
	arrowDuration
	arrowLargeBinary
	arrowLargeUtf8
	arrowLargeList
	arrowRunEnd
	arrowBinaryView
	arrowUtf8View
	arrowListView
	arrowLargeListView
)

// arrowRefused describes the types of columns that make a file unreadable.
var arrowRefused = map[arrowKind]string{
	arrowInterval: "an interval of the calendar", arrowUnion: "a union", arrowRunEnd: "encoded by runs",
}

// arrowField is a column, or a part of one.
type arrowField struct {
	path       string
	kind       arrowKind
	bytes      int // size of a value
	unsigned   bool
	scale      int
	unit       time.Duration
	zoned      bool
	dictionary *arrowDictionary // the values are indices into it; nil: plain values
	list       bool             // several values per row: the column is not read
	children   []*arrowField
}

// arrowDictionary has the texts that the values of a column index.
type arrowDictionary struct {
	values arrowField
	cells  []string
	bytes  int
}

// arrowSchema is the columns of a file.
type arrowSchema struct {
	fields       []*arrowField
	leaves       []*arrowField // columns of single values, in the order of the file
	lists        []string
	said         []string
	dictionaries map[int64]*arrowDictionary
	n            int
}

// mostArrowFields and mostArrowDepth bound the memory that the schema of a damaged file can take.
const mostArrowFields, mostArrowDepth = 100_000, 32

func (s *arrowSchema) read(t flatTable) error {
	if t.number(0, 2, 0) != 0 {
		return errors.New("an Arrow file with the highest byte first: write it again on another machine, or as Parquet")
	}
	s.dictionaries = make(map[int64]*arrowDictionary)
	for _, child := range t.tables(1) {
		f, err := s.field(child, "", false, 0)
		if err != nil {
			return err
		}
		s.fields = append(s.fields, f)
	}
	some := false
	for _, l := range s.leaves {
		some = some || l.kind != arrowNull
	}
	if !some {
		return errors.New("no column of single values")
	}
	return nil
}

// field reads a column and its nested columns.
func (s *arrowSchema) field(t flatTable, path string, list bool, depth int) (*arrowField, error) {
	f := &arrowField{path: path + t.text(0), kind: arrowKind(t.number(2, 1, 0)), list: list}
	if s.n++; s.n > mostArrowFields || depth > mostArrowDepth {
		return nil, fmt.Errorf("the Arrow file has more than %d columns, or columns in columns: write those that you need", mostArrowFields)
	}
	if what, refused := arrowRefused[f.kind]; refused {
		return nil, fmt.Errorf("column %q is %s, which is not read: write the file without it, or cast it to a number or a text", f.path, what)
	}
	kind, ok := t.table(3)
	if !ok && f.kind != arrowNull {
		return nil, errArrow
	}
	if err := f.read(kind); err != nil {
		return nil, err
	}
	isList := f.kind == arrowList || f.kind == arrowLargeList || f.kind == arrowFixedList || f.kind == arrowMap || f.kind == arrowListView || f.kind == arrowLargeListView
	if isList && !list {
		s.lists = append(s.lists, f.path)
	}
	f.list = list || isList
	if d, ok := t.table(4); ok {
		if err := s.encode(f, d); err != nil {
			return nil, err
		}
	} else {
		for _, child := range t.tables(5) {
			c, err := s.field(child, f.path+".", f.list, depth+1)
			if err != nil {
				return nil, err
			}
			f.children = append(f.children, c)
		}
	}
	if !f.list && f.kind != arrowStruct {
		s.leaves = append(s.leaves, f)
		if f.kind == arrowDuration {
			s.said = append(s.said, "durations of "+f.path+" in seconds")
		}
	}
	return f, nil
}

// encode sets the dictionary of a column; the values of the column are indices then.
func (s *arrowSchema) encode(f *arrowField, t flatTable) error {
	if f.list || f.kind == arrowStruct {
		return fmt.Errorf("column %q is a dictionary of lists, which is not read: write the file without it", f.path)
	}
	id := t.number(0, 8, 0)
	d := s.dictionaries[id]
	if d == nil {
		d = &arrowDictionary{values: *f}
		s.dictionaries[id] = d
	}
	*f = arrowField{path: f.path, kind: arrowInt, bytes: 4, dictionary: d}
	if index, ok := t.table(1); ok {
		return f.read(index)
	}
	return nil
}

// arrowUnits are the units of times, arrowFloats the sizes of floats in bytes, by their numbers in the schema.
var (
	arrowUnits  = []time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond}
	arrowFloats = []int{2, 4, 8}
)

// read sets the properties of a field that follow from its type.
func (f *arrowField) read(t flatTable) error {
	switch f.kind {
	case arrowInt:
		f.bytes, f.unsigned = int(t.number(0, 4, 0))/8, t.number(1, 1, 0) == 0
	case arrowFloat:
		f.bytes = arrowFloats[t.number(0, 2, 0)]
	case arrowDecimal:
		f.scale, f.bytes = int(t.number(1, 4, 0)), int(t.number(2, 4, 128))/8
	case arrowDate:
		f.bytes, f.unit = 4, 24*time.Hour
		if t.number(0, 2, 1) == 1 {
			f.bytes, f.unit = 8, time.Millisecond
		}
	case arrowTime:
		f.unit, f.bytes = arrowUnits[t.number(0, 2, 1)], int(t.number(1, 4, 32))/8
	case arrowTimestamp:
		f.unit, f.bytes, f.zoned = arrowUnits[t.number(0, 2, 0)], 8, t.text(1) != ""
	case arrowDuration:
		f.unit, f.bytes = arrowUnits[t.number(0, 2, 1)], 8
	case arrowFixedBinary:
		f.bytes = int(t.number(0, 4, 0))
	default:
		if f.kind < arrowNull || f.kind > arrowLargeListView {
			return fmt.Errorf("column %q is of the type %d, which is not read: write the file without it", f.path, f.kind)
		}
		return nil
	}
	fits := f.bytes == 1 && f.kind == arrowInt || f.bytes == 2 && (f.kind == arrowInt || f.kind == arrowFloat) || f.bytes == 4 || f.bytes == 8 ||
		f.kind == arrowDecimal && (f.bytes == 16 || f.bytes == 32) || f.kind == arrowFixedBinary && f.bytes > 0 && f.bytes <= mostCellText
	if !fits {
		return fmt.Errorf("%w (column %q has values of %d bytes)", errArrow, f.path, f.bytes)
	}
	return nil
}

// number reports whether the values are floats, decimals, durations or unsigned integers.
func (f *arrowField) number() bool {
	if f.dictionary != nil {
		return f.dictionary.values.number()
	}
	return f.kind == arrowFloat || f.kind == arrowDecimal || f.kind == arrowDuration || f.kind == arrowInt && f.unsigned
}

// buffers returns the number of buffers that a field always has. Each batch states how many more a view has.
func (f *arrowField) buffers() int {
	switch f.kind {
	case arrowNull:
		return 0
	case arrowStruct, arrowFixedList:
		return 1
	case arrowUtf8, arrowBinary, arrowLargeUtf8, arrowLargeBinary, arrowListView, arrowLargeListView:
		return 3
	}
	return 2
}

func (f *arrowField) view() bool { return f.kind == arrowUtf8View || f.kind == arrowBinaryView }
