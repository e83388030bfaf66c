package file

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A table needs a column of single values, and a column of a type that is not read is refused by its name, also within
// another column.
func TestArrowSchemaRefused(t *testing.T) {
	none := flatTable{[]byte{4, 0, 4, 0, 4, 0, 0, 0}, 4} // a FlatBuffer table without fields
	if err := new(arrowSchema).read(none); err == nil || !strings.Contains(err.Error(), "no column of single values") {
		t.Errorf("a table without columns: %v", err)
	}
	b, err := os.ReadFile(filepath.Join("..", "..", "internal", "wire", "testdata", "corpus", "nested.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	var refused []string
	for i := range b { // the types of the columns are among the bytes, and places of fields
		c := bytes.Clone(b)
		c[i] = byte(arrowUnion)
		if _, err := newArrowReader(bytes.NewReader(c), int64(len(c))); err != nil && strings.Contains(err.Error(), "which is not read") {
			var name string
			if _, err := fmt.Sscanf(err.Error(), "column %q", &name); err != nil {
				t.Error(err)
			}
			refused = append(refused, name)
		}
	}
	if got := strings.Join(refused, " "); got != "wind wind.from wind.speed pairs pairs.entries pairs.entries.value pairs.entries pairs.entries pairs.entries.key parts parts.item temp time time" {
		t.Errorf("refused %s", got)
	}
}
