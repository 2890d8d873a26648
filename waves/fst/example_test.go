package fst_test

import (
	"fmt"
	"os"
	"path/filepath"

	"divergo/waves/fst"
)

// Example writes a counter that counts twice.
func Example() {
	file, err := os.Create(filepath.Join(os.TempDir(), "counter.fst"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(file.Name())
	w := fst.NewWriter(file, -9)
	w.Scope("top")
	count := w.Var(fst.Reg, "Count", 8)
	w.Up()
	w.Start(0, []uint64{0})
	for t := range uint64(2) {
		w.Time(10 * (t + 1))
		w.Change(count, t+1)
	}
	fmt.Println(w.Close(), file.Close())
	// Output: <nil> <nil>
}
