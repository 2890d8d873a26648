package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print what this binary was built from",
		Long: `Print the version of the module, the commit that it was built from, and the Go version and platform.
A result of the same version, configuration and seed is the same on every machine.`,
		Example: `  divergo version
  divergo version --json`,
		Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			v := built()
			if asJSON {
				return printJSON(c.OutOrStdout(), v)
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "divergo %s, commit %s, %s %s\n", v.Version, v.Commit, v.Go, v.Platform)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// binary says where a binary comes from.
type binary struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"` // of the module; (devel) if it was built in a checkout that has no tag
	Commit   string `json:"commit"`  // "+changes" behind it where the checkout had more than the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// built reads what the Go linker wrote into the binary.
func built() binary {
	b := binary{Schema: schema("version"), Version: "unknown", Commit: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
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
