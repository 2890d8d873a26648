//go:build unix

package cuda

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"
)

// Run starts a program with a socket to a server and waits for its end. The code
// is the program's, 128 and the signal if one ended it. The program is ended
// when asked says so.
func Run(s *Server, asked func() bool, stdin io.Reader, stdout, stderr io.Writer, program string, args ...string) (code int, err error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, fmt.Errorf("socket: %w", err)
	}
	syscall.CloseOnExec(pair[0])
	syscall.CloseOnExec(pair[1])
	theirs := os.NewFile(uintptr(pair[1]), "program")
	conn, err := open(uintptr(pair[0]))
	if err != nil {
		return 0, errors.Join(err, theirs.Close())
	}
	defer conn.Close()
	c := exec.Command(program, args...)
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	c.ExtraFiles = []*os.File{theirs} // descriptor 3
	c.Env = append(os.Environ(), "DIVERGO_FD=3")
	if err := errors.Join(c.Start(), theirs.Close()); err != nil {
		return 0, err
	}
	var waited error
	ended := make(chan struct{})
	var gone atomic.Bool
	go func() {
		waited = c.Wait()
		gone.Store(true)
		close(ended)
	}()
	go func() {
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-ended:
				tick.Stop()
				return
			case <-tick.C:
				if asked() {
					_ = c.Process.Signal(syscall.SIGTERM) // it may have ended
				}
			}
		}
	}()
	s.stopWhen(&gone)
	served := s.Serve(conn)
	_ = conn.Close()
	<-ended
	var exit *exec.ExitError
	if waited != nil && !errors.As(waited, &exit) {
		return 0, errors.Join(waited, served)
	}
	if status := c.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal()), served
	}
	return c.ProcessState.ExitCode(), served
}

// ServeDescriptor serves the program that has started this process with a socket.
func ServeDescriptor(s *Server, descriptor int) error {
	conn, err := open(uintptr(descriptor))
	if err != nil {
		return err
	}
	defer conn.Close()
	var gone atomic.Bool
	parent, tick := os.Getppid(), time.NewTicker(100*time.Millisecond)
	defer tick.Stop()
	go func() {
		for range tick.C {
			gone.Store(os.Getppid() != parent) // another one takes orphans in
		}
	}()
	s.stopWhen(&gone)
	return s.Serve(conn)
}

// stopWhen ends a launch when its program is gone: nobody waits for the result.
func (s *Server) stopWhen(gone *atomic.Bool) {
	limits := &s.Session.Limits
	asked := limits.Stop
	limits.Stop = func() bool { return gone.Load() || asked != nil && asked() }
}

// open is the socket of a descriptor.
func open(descriptor uintptr) (net.Conn, error) {
	file := os.NewFile(descriptor, "socket")
	conn, err := net.FileConn(file)
	return conn, errors.Join(err, file.Close())
}
