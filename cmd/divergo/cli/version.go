package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the newest version in CHANGELOG.md. A release commit sets it; the first entry below
// Unreleased appends "+devel".
const release = "0.3.0+devel"

func newVersion() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this binary",
		Long: `Print the version of divergo, the commit of the build, and the Go version and platform.
"+devel" marks changes since that version. The same version, configuration and seed give the same
result on every machine.`,
		Example: `  divergo version
  divergo version --json`,
		Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			v := built()
			if asJSON {
				return printJSON(c.OutOrStdout(), v)
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "divergo %s, commit %s, %s %s\n", v.Version, v.Commit, v.Go,
				v.Platform)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// binary describes the build of a binary.
type binary struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"` // of divergo
	Commit   string `json:"commit"`  // "+changes" follows if the checkout had uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// built reads the build information that the Go linker stores in a binary.
func built() binary {
	b := binary{
		Schema: schema("version"), Version: release, Commit: "unknown",
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	changes := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	b.Commit += changes
	return b
}
