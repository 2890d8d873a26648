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
	served := s.connect(conn)
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
	return s.connect(conn)
}

// connect serves a program that begins with the descriptor of its window; one that
// has nothing to ask ends before.
func (s *Server) connect(conn *net.UnixConn) error {
	control := make([]byte, syscall.CmsgSpace(4))
	_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), control)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("connection to the program: %w", err)
	}
	messages, err := syscall.ParseSocketControlMessage(control[:n])
	if err != nil {
		return fmt.Errorf("connection to the program: %w", err)
	}
	if len(messages) != 1 {
		return errors.New("connection to the program: it was built by another version of divergo: build it again")
	}
	files, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		return fmt.Errorf("connection to the program: %w", err)
	}
	s.window, err = syscall.Mmap(files[0], 0, 2*half, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err := errors.Join(err, syscall.Close(files[0])); err != nil {
		return fmt.Errorf("memory that is shared with the program: %w", err)
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return fmt.Errorf("connection to the program: %w", err)
	}
	served := s.Serve(&eager{conn, raw})
	return errors.Join(served, syscall.Munmap(s.window))
}

// stopWhen ends a launch when its program is gone: nobody waits for the result.
func (s *Server) stopWhen(gone *atomic.Bool) {
	limits := &s.Session.Limits
	asked := limits.Stop
	limits.Stop = func() bool { return gone.Load() || asked != nil && asked() }
}

// open is the socket of a descriptor.
func open(descriptor uintptr) (*net.UnixConn, error) {
	file := os.NewFile(descriptor, "socket")
	conn, err := net.FileConn(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("descriptor %d: want a socket between processes", descriptor), conn.Close())
	}
	return socket, nil
}

// patience is how long an eager connection looks before it sleeps.
const patience = 50 * time.Microsecond

// eager is a connection that looks for what comes for a while before it sleeps: a
// program that has its answer often asks again at once, and to wake up takes longer
// than that.
type eager struct {
	*net.UnixConn
	raw syscall.RawConn
}

func (e *eager) Read(p []byte) (int, error) {
	n := 0
	err := e.raw.Read(func(fd uintptr) bool {
		for start := time.Now(); n <= 0 && time.Since(start) < patience; {
			n, _, _ = syscall.Recvfrom(int(fd), p, syscall.MSG_DONTWAIT) // what is wrong shows below
		}
		return true
	})
	if n > 0 || err != nil {
		return n, err
	}
	return e.UnixConn.Read(p)
}
