package launches_test

import (
	"testing"

	"divergo/testbench/launches"
)

// FuzzParse checks that no text makes the reader panic.
func FuzzParse(f *testing.F) {
	f.Add([]byte(twice))
	f.Add([]byte(`{"schema": "divergo.counterexample.v1", "grid": 1, "args": null}`))
	f.Fuzz(func(_ *testing.T, text []byte) { _, _ = launches.Parse("f.json", text) })
}
