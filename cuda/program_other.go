//go:build !unix

package cuda

import (
	"errors"
	"io"
)

var errUnix = errors.New("CUDA programs run on Unix only")

// Run returns an error: programs run on Unix only.
func Run(*Server, func() bool, io.Reader, io.Writer, io.Writer, string, ...string) (int, error) {
	return 0, errUnix
}

// ServeDescriptor returns an error: programs run on Unix only.
func ServeDescriptor(*Server, int) error { return errUnix }
