//go:build !linux && !darwin && !freebsd

package verilog

import "errors"

// loadLibrary reports that shared objects are not loaded on this system.
func loadLibrary(string) (func() (bench, error), error) {
	return nil, errors.New("this system loads no Verilog units; use Linux, macOS or FreeBSD")
}
