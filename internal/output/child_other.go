//go:build !unix

package output

import (
	"os"
	"os/exec"
)

// apart does nothing: there are no process groups.
func apart(*exec.Cmd) {}

// kill ends a program.
func kill(p *os.Process) { _ = p.Kill() } // it may have ended
