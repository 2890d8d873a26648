// Package need skips tests that use a tool that is not installed. The rest of a test needs only Go.
// .ci/test installs the tools and fails if a test was skipped.
package need

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// CUDA are the tools that build CUDA programs.
var CUDA = []string{"clang-19", "libclc", "g++"}

//go:embed tools.txt
var table string

// Modules is the folder of the npm modules of the table, for NODE_PATH.
const Modules = "/usr/local/lib/node_modules"

// tool is a line of the table.
type tool struct {
	name, probe string
	packages    []string
}

// tools are the lines of the table that are not comments.
func tools() (list []tool) {
	for line := range strings.Lines(table) {
		if words := strings.Fields(line); words[0] != "#" {
			list = append(list, tool{words[0], words[1], words[2:]})
		}
	}
	return list
}

// installed reports whether the tool's command is in the search path, or its file exists.
func (t tool) installed() bool {
	if filepath.IsAbs(t.probe) {
		_, err := os.Stat(t.probe)
		return err == nil
	}
	_, err := exec.LookPath(t.probe)
	return err == nil
}

// Missing names the tools that are not installed, and how to install them, in one line. It is empty
// if all are installed. It panics for a name that tools.txt does not have.
func Missing(names ...string) string {
	all := tools()
	var missing, debian, npm []string
	for _, name := range names {
		i := slices.IndexFunc(all, func(t tool) bool { return t.name == name })
		if i < 0 {
			panic(fmt.Sprintf("need: internal/need/tools.txt has no tool %q", name))
		}
		if !all[i].installed() {
			missing = append(missing, name)
			for _, p := range all[i].packages {
				if module, ok := strings.CutPrefix(p, "npm:"); ok {
					npm = append(npm, module)
				} else {
					debian = append(debian, p)
				}
			}
		}
	}
	if missing == nil {
		return ""
	}
	var by []string
	if debian != nil {
		by = append(by, "apt-get install "+strings.Join(debian, " "))
	}
	if npm != nil {
		by = append(by, "npm install --global --prefix /usr/local "+strings.Join(npm, " "))
	}
	return fmt.Sprintf("needs %s: %s, or .ci/install for all tools", strings.Join(missing, ", "),
		strings.Join(by, " and "))
}

// Tool skips the test if one of the tools is not installed.
func Tool(t testing.TB, names ...string) {
	t.Helper()
	if why := Missing(names...); why != "" {
		t.Skip(why)
	}
}
