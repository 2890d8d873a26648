package page_test

import (
	"bytes"
	"fmt"
	"strings"

	"divergo/properties/page"
)

func Example() {
	var b bytes.Buffer
	err := page.Write(&b, &page.Report{
		Title: "night",
		Kinds: []page.Kind{{Name: "branch", Bins: []string{"if, one lane", "if, </script>"}, Counts: []uint64{7, 0}}},
	})
	fmt.Println(err, strings.Contains(b.String(), `"counts":[7,0]`), strings.Count(b.String(), "</script>"))
	// Output: <nil> true 2
}
