//go:build unix

package waves

import (
	"os/exec"
	"syscall"
)

// apart has what interrupts this process from the terminal leave the other one alone, which ends with its input.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
