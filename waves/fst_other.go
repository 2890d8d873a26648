//go:build !unix

package waves

import "os/exec"

// apart does nothing: there are no groups of processes.
func apart(*exec.Cmd) {}
