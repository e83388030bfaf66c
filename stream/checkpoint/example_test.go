package checkpoint_test

import (
	"bytes"
	"fmt"

	"github.com/orffvar/forecaster/stream/checkpoint"
)

// A file of checkpoints holds a whole state and the changes behind it. A cut file gives what comes
// before the cut.
func ExampleParse() {
	var file bytes.Buffer
	for _, c := range []checkpoint.Checkpoint{
		{Settings: []checkpoint.Setting{{Key: "model.order", Value: "3"}}, Next: 1200, State: checkpoint.StateOf([]byte("whole"))},
		{Since: 1200, Next: 1300, State: checkpoint.StateOf([]byte("changes"))},
	} {
		if err := c.Encode(&file); err != nil {
			fmt.Println(err)
			return
		}
	}
	list, _, err := checkpoint.Parse(bytes.NewReader(file.Bytes()), int64(file.Len()))
	fmt.Println(len(list), "checkpoints, up to offset", list[len(list)-1].Next, err)
	list, _, err = checkpoint.Parse(bytes.NewReader(file.Bytes()), int64(file.Len()-1))
	fmt.Println(len(list), "checkpoint, up to offset", list[len(list)-1].Next, err != nil)
	// Output:
	// 2 checkpoints, up to offset 1300 <nil>
	// 1 checkpoint, up to offset 1200 true
}

// Settings of a checkpoint that differ from those in force are named with both values.
func ExampleCompare() {
	saved := []checkpoint.Setting{{Key: "model.horizon", Value: "12"}, {Key: "model.order", Value: "3"}}
	now := []checkpoint.Setting{{Key: "model.horizon", Value: "12"}, {Key: "model.order", Value: "4"}}
	for _, c := range checkpoint.Compare(saved, now) {
		fmt.Printf("%s: %s, now %s\n", c.Key, c.Saved, c.Now)
	}
	// Output: model.order: 3, now 4
}
