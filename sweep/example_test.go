package sweep_test

import (
	"fmt"
	"os"
	"path/filepath"

	"divergo/sweep"
)

// A kernel under two mechanisms, on one and two SMs.
func Example() {
	folder, err := os.MkdirTemp("", "sweep")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "plan.toml")
	text := `
kernel = "vecadd"
[product]
mechanism = ["pdom", "tbc"]
gpu.sms = [1, 2]
`
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	plan, err := sweep.Read(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	store, err := sweep.OpenStore(filepath.Join(folder, "plan.sweep"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := sweep.Run(plan, store, sweep.Options{Jobs: 2}); err != nil {
		fmt.Println(err)
		return
	}
	for row, err := range sweep.Collect(plan, store) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(row.Values, row.Result.Outcome, row.Result.Value("thread_instructions"))
	}
	// Output:
	// [pdom 1] finished 22192
	// [pdom 2] finished 22192
	// [tbc 1] finished 22192
	// [tbc 2] finished 22192
}
