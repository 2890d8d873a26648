//go:build !unix

package cuda

import (
	"errors"
	"io"
)

var errUnix = errors.New("CUDA programs run on Unix only")

// Run starts a program with a socket to a server.
func Run(*Server, func() bool, io.Reader, io.Writer, io.Writer, string, ...string) (int, error) {
	return 0, errUnix
}

// ServeDescriptor serves the program that has started this process.
func ServeDescriptor(*Server, int) error { return errUnix }
