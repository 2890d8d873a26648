package litmus

import (
	"embed"
	"path"
	"slices"
)

//go:embed tests/*.litmus
var files embed.FS

// Tests are the litmus tests of divergo.
func Tests() []*Test { return slices.Clone(shipped) }

// shipped panics if a file in tests has an error, which TestVerdicts finds.
var shipped = func() (list []*Test) {
	entries, err := files.ReadDir("tests")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("tests", e.Name()))
		if err != nil {
			panic(err)
		}
		tests, err := Parse(e.Name(), string(text))
		if err != nil {
			panic(err)
		}
		list = append(list, tests...)
	}
	return list
}()
