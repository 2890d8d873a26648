package sweep

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
)

// build identifies the model. Results of different builds are different results. It is the commit
// of a clean checkout, the version of a module, or the hash of the running program.
var build = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if ok {
		revision, clean := "", false
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value
			case "vcs.modified":
				clean = s.Value == "false"
			}
		}
		if revision != "" && clean && info.Main.Path == "divergo" {
			return revision
		}
		if info.Main.Sum != "" {
			return info.Main.Version + " " + info.Main.Sum
		}
	}
	name, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	f, err := os.Open(name)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%x", h.Sum(nil))
})
