package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"divergo/properties"
)

type argsKey struct{} // of the arguments of Run in a command's context

// origin is the command line of a command, as a shell takes it.
func origin(c *cobra.Command) properties.Origin {
	o := properties.Origin{Program: program()}
	words := []string{o.Program}
	for _, a := range c.Context().Value(argsKey{}).([]string) {
		words = append(words, quoted(a))
	}
	o.By = strings.Join(words, " ")
	return o
}

// ofGoRun are the programs that "go run" builds, in a temporary folder or in the build cache.
var ofGoRun = regexp.MustCompile(`/go-build\d+/|/[0-9a-f]{64}-d/`)

// program is what runs this program from any folder: its name if the shell finds it, a path, or "go run" with its package,
// which is found from all folders of its module.
func program() string {
	name := os.Args[0]
	if path, err := os.Executable(); err == nil && ofGoRun.MatchString(filepath.ToSlash(path)) {
		if info, ok := debug.ReadBuildInfo(); ok {
			return "go run " + info.Path
		}
	}
	if path, err := filepath.Abs(name); err == nil && filepath.Base(name) != name {
		name = path
	}
	return quoted(name)
}

var plain = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
