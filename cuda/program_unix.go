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
	"unsafe"
)

// grace is the time that a program has to end after SIGTERM.
const grace = 3 * time.Second

// Run starts a program with a socket to a server and waits for its end. It returns the program's
// exit code, or 128 plus the signal that ended it.
//
// When asked returns true, Run ends the program by SIGTERM, and after some seconds by SIGKILL. Both
// go to the program's process group. On a terminal the program has no group of its own, since it
// could not read from the terminal.
func Run(s *Server, asked func() bool, stdin io.Reader, stdout, stderr io.Writer, program string,
	args ...string,
) (code int, err error) {
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
	c.ExtraFiles = []*os.File{theirs}
	c.Env = append(os.Environ(), fmt.Sprint("DIVERGO_FD=", descriptor))
	group := !onTerminal(stdin)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: group}
	_, err = conn.Write([]byte{0}) // the first process that reads this byte owns the device
	if err := errors.Join(err, c.Start(), theirs.Close()); err != nil {
		return 0, err
	}
	var waited error
	ended, killed, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	defer close(done)
	go func() {
		waited = c.Wait()
		close(ended)
	}()
	end := func(signal syscall.Signal) { // an error means that it has ended
		if group {
			_ = syscall.Kill(-c.Process.Pid, signal)
		} else {
			_ = c.Process.Signal(signal)
		}
	}
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		var since time.Time
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				switch {
				case !asked():
				case since.IsZero():
					since = now
					end(syscall.SIGTERM)
				case now.Sub(since) > grace:
					end(syscall.SIGKILL)
					close(killed)
					_ = conn.Close() // other processes may hold the socket
					return
				}
			}
		}
	}()
	served := s.connect(conn)
	_ = conn.Close()
	select {
	case <-ended:
	case <-killed:
		select {
		case <-ended:
		case <-time.After(grace): // a process outside of its group holds its output
			return 128 + int(syscall.SIGKILL), nil
		}
	}
	select {
	case <-killed: // the connection was closed above
		served = nil
	default:
	}
	var exit *exec.ExitError
	if waited != nil && !errors.As(waited, &exit) {
		return 0, errors.Join(waited, served)
	}
	if status := c.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal()), served
	}
	return c.ProcessState.ExitCode(), served
}

// onTerminal reports whether a file is a terminal. Only one process group at a time can read from
// it.
func onTerminal(stdin io.Reader) bool {
	file, ok := stdin.(*os.File)
	if !ok {
		return false
	}
	var group int32
	_, _, wrong := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&group)))
	return wrong == 0
}

// ServeDescriptor serves the program that started this process with a socket. The descriptor stays
// open, since the program waits until it is closed.
func ServeDescriptor(s *Server, descriptor int) error {
	syscall.CloseOnExec(descriptor)
	own, err := syscall.Dup(descriptor)
	if err != nil {
		return fmt.Errorf("descriptor %d: %w", descriptor, err)
	}
	conn, err := open(uintptr(own))
	if err != nil {
		return err
	}
	defer conn.Close()
	return s.connect(conn)
}

// connect serves a program. The program first sends the descriptor of its window. A program without
// requests ends before that.
func (s *Server) connect(conn *net.UnixConn) error {
	first, control := []byte{0}, make([]byte, syscall.CmsgSpace(4))
	_, n, _, _, err := conn.ReadMsgUnix(first, control)
	if ended(err) {
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
		return errAnotherVersion
	}
	files, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(files) != 1 {
		return errAnotherVersion
	}
	if first[0] != protocol {
		return errors.Join(errAnotherVersion, syscall.Close(files[0]))
	}
	s.window, err = mapWindow(files[0])
	if err := errors.Join(err, syscall.Close(files[0])); err != nil {
		return fmt.Errorf("memory that is shared with the program: %w", err)
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return fmt.Errorf("connection to the program: %w", err)
	}
	done := make(chan struct{})
	s.stopWhenGone(raw, done)
	served := s.serve(&eager{conn, raw})
	close(done)
	return errors.Join(served, syscall.Munmap(s.window))
}

var errAnotherVersion = errors.New("connection to the program: it was built by another version of divergo: build it again")

// Requests of fcntl (Linux, fcntl(2), "File Sealing").
const (
	getSeals   = 1034 // F_GET_SEALS
	sealShrink = 2    // F_SEAL_SHRINK
)

// mapWindow maps the file of the window. The file must not become shorter, since memory past its
// end cannot be read.
func mapWindow(file int) ([]byte, error) {
	seals, _, wrong := syscall.Syscall(syscall.SYS_FCNTL, uintptr(file), getSeals, 0)
	if wrong != 0 || seals&sealShrink == 0 {
		return nil, errors.New("it can become shorter, want a file with the seal F_SEAL_SHRINK")
	}
	var stat syscall.Stat_t
	if err := syscall.Fstat(file, &stat); err != nil {
		return nil, err
	}
	if stat.Size != 2*half {
		return nil, fmt.Errorf("found %d bytes, want %d", stat.Size, 2*half)
	}
	return syscall.Mmap(file, 0, 2*half, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

// stopWhenGone ends a launch when no process of the program holds the socket any more. It checks
// until done is closed.
func (s *Server) stopWhenGone(raw syscall.RawConn, done <-chan struct{}) {
	var gone atomic.Bool
	limits := &s.Session.Limits
	asked := limits.Stop
	limits.Stop = func() bool { return gone.Load() || asked != nil && asked() }
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_ = raw.Control(func(fd uintptr) { // fails if it is closed
					n, _, err := syscall.Recvfrom(int(fd), []byte{0}, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
					gone.Store(n == 0 && err == nil || errors.Is(err, syscall.ECONNRESET))
				})
			}
		}
	}()
}

// open returns the socket of a descriptor.
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

// patience is the time that an eager connection polls before it sleeps.
const patience = 50 * time.Microsecond

// eager is a connection that polls for a while before it sleeps. A program often sends its next
// request right after an answer, and waking up takes longer than that.
type eager struct {
	*net.UnixConn
	raw syscall.RawConn
}

func (e *eager) Read(p []byte) (int, error) {
	n := 0
	err := e.raw.Read(func(fd uintptr) bool {
		for start := time.Now(); n <= 0 && time.Since(start) < patience; {
			n, _, _ = syscall.Recvfrom(int(fd), p, syscall.MSG_DONTWAIT) // the read below reports an error
		}
		return true
	})
	if n > 0 || err != nil {
		return n, err
	}
	return e.UnixConn.Read(p)
}
