//go:build !js

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

// origin returns the command line of a command in the shell's syntax.
func origin(c *cobra.Command) properties.Origin {
	o := properties.Origin{Program: program()}
	words := []string{o.Program}
	for _, a := range c.Context().Value(argsKey{}).([]string) {
		words = append(words, quoted(a))
	}
	o.By = strings.Join(words, " ")
	return o
}

// ofGoRun matches the paths of programs that "go run" builds, in a temporary folder or in the build
// cache.
var ofGoRun = regexp.MustCompile(`/go-build\d+/|/[0-9a-f]{64}-d/`)

// program returns a command that starts this program from any folder: its name on the PATH, a path,
// or "go run" with its package. The last one works in all folders of its module.
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

// quoted returns a word in the shell's syntax.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
