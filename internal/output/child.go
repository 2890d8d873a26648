package output

import (
	"bytes"
	"os/exec"
	"time"
)

// Child is another program that writes files for this one. It has its own process group, so that
// Ctrl-C in the terminal does not reach it. [Abandon] ends it.
type Child struct {
	command *exec.Cmd
	ended   chan struct{} // closed when the program has ended
	err     error         // of its end
}

// Start starts a program.
func Start(c *exec.Cmd) (*Child, error) {
	apart(c)
	unfinished.Lock()
	defer unfinished.Unlock()
	if err := c.Start(); err != nil {
		return nil, err
	}
	child := &Child{command: c, ended: make(chan struct{})}
	unfinished.children[child] = true
	go func() {
		child.err = c.Wait()
		close(child.ended)
		unfinished.Lock()
		defer unfinished.Unlock()
		delete(unfinished.children, child)
	}()
	return child, nil
}

// Ended returns a channel that is closed when the program has ended.
func (c *Child) Ended() <-chan struct{} { return c.ended }

// Wait waits for the end of the program.
func (c *Child) Wait() error {
	<-c.ended
	return c.err
}

// Kill ends the program and all programs that it has started.
func (c *Child) Kill() {
	select {
	case <-c.ended: // another program may have its number
	default:
		kill(c.command.Process)
	}
}

// Run runs a program to its end and returns its output.
func Run(c *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	child, err := Start(c)
	if err != nil {
		return nil, err
	}
	err = child.Wait()
	return said.Bytes(), err
}

// killTime bounds the wait for killed programs.
const killTime = 5 * time.Second

// killAll ends all programs and waits for their end.
func killAll(children map[*Child]bool) {
	for c := range children {
		c.Kill()
	}
	late := time.After(killTime)
	for c := range children {
		select {
		case <-c.ended:
		case <-late:
			return
		}
	}
}
