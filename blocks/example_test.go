package blocks_test

import (
	"fmt"
	"strings"

	"divergo/blocks"
)

// A block prints itself for any of its sizes.
func ExampleBlock_Print() {
	b, err := blocks.Find("majority")
	if err != nil {
		panic(err)
	}
	text, err := b.Print(blocks.Sizes{"lanes": 4})
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(text.Verilog) {
		if strings.HasPrefix(line, "  input ") || strings.HasPrefix(line, "  output ") {
			fmt.Print(line)
		}
	}
	// Output:
	//   input  [3:0] taken,
	//   input  [3:0] active,
	//   input  previous,
	//   output direction);
}
