//go:build linux || darwin || freebsd

package verilog

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is a loaded shared object: the addresses of the functions of shim.cc.
type library struct {
	make, free, clock, debug, save, load, sample, signals, failure uintptr
}

// loadLibrary loads a shared object.
func loadLibrary(file string) (func() (bench, error), error) {
	at, err := purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	var l library
	for name, to := range map[string]*uintptr{
		"new": &l.make, "free": &l.free, "clock": &l.clock, "debug": &l.debug, "save": &l.save, "load": &l.load,
		"sample": &l.sample, "signals": &l.signals, "error": &l.failure,
	} {
		if *to, err = purego.Dlsym(at, "divergo_"+name); err != nil {
			return nil, err
		}
	}
	return func() (bench, error) {
		at, _, _ := purego.SyscallN(l.make)
		u := &object{&l, at}
		runtime.AddCleanup(u, func(at uintptr) { purego.SyscallN(l.free, at) }, at)
		return u, nil
	}, nil
}

// object is a unit in a shared object. The C side keeps no pointer that it is given.
type object struct {
	*library
	at uintptr
}

func (u *object) clock(in *Inputs, out *Outputs) error {
	r, _, _ := purego.SyscallN(u.library.clock, u.at, uintptr(unsafe.Pointer(in)), uintptr(unsafe.Pointer(out)))
	return u.ended(r)
}

func (u *object) debug(warp int, to *[maxEntries]Entry) (int, error) {
	n := new(uint64)
	r, _, _ := purego.SyscallN(u.library.debug, u.at, uintptr(warp), uintptr(unsafe.Pointer(to)), maxEntries,
		uintptr(unsafe.Pointer(n)))
	return int(*n), u.ended(r)
}

// ended returns the error of a call with result r.
func (u *object) ended(r uintptr) error {
	if uint32(r) != 0 {
		return errors.New(string(u.grown(nil, u.failure)))
	}
	runtime.KeepAlive(u)
	return nil
}

// grown appends what a function of the form f(unit, to, room) writes.
func (u *object) grown(b []byte, f uintptr) []byte {
	at := len(b)
	for n := max(cap(b)-at, 4096); ; {
		b = append(b[:at], make([]byte, n)...)
		r, _, _ := purego.SyscallN(f, u.at, uintptr(unsafe.Pointer(&b[at])), uintptr(n))
		if int(r) < n {
			return b[:at+int(r)]
		}
		n = int(r) + 1
	}
}

func (u *object) save(b []byte) ([]byte, error) { return u.grown(b, u.library.save), nil }

func (u *object) load(b []byte) error {
	if len(b) == 0 {
		return fmt.Errorf("the saved state of the unit is empty")
	}
	purego.SyscallN(u.library.load, u.at, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	runtime.KeepAlive(u)
	return nil
}

func (u *object) sample(b []byte) error {
	if len(b) > 0 {
		purego.SyscallN(u.library.sample, u.at, uintptr(unsafe.Pointer(&b[0])))
	}
	runtime.KeepAlive(u)
	return nil
}

func (u *object) signals() (string, error) { return string(u.grown(nil, u.library.signals)), nil }
