package kernels

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// element is the type of an array element in device memory.
type element interface {
	uint8 | int32 | uint32 | float32
}

// upload copies data to new device memory and returns its address.
func upload[T element](m Machine, data []T) uint64 {
	raw := encode(data)
	addr := m.Alloc(len(raw))
	m.Write(addr, raw)
	return addr
}

// download copies n elements from device memory.
func download[T element](m Machine, addr uint64, n int) []T {
	data := make([]T, n)
	raw := make([]byte, binary.Size(data))
	m.Read(addr, raw)
	if _, err := binary.Decode(raw, binary.LittleEndian, data); err != nil {
		panic(err) // raw has the size of data
	}
	return data
}

// encode returns data in little-endian form, as device memory holds it.
func encode(data any) []byte {
	raw, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(err) // elements have a fixed size
	}
	return raw
}

// bank returns the parameter bank of a kernel. Pointers are uint64, scalars have their own type,
// and each has its natural alignment.
func bank(params ...any) []byte {
	var raw []byte
	for _, param := range params {
		for len(raw)%binary.Size(param) != 0 {
			raw = append(raw, 0)
		}
		raw = append(raw, encode(param)...)
	}
	return raw
}

// groups returns the number of CTAs of cta threads that cover n threads.
func groups(n, cta int) uint32 { return uint32((n + cta - 1) / cta) }

// tree refuses CTA sizes that a kernel's binary tree or network does not support.
func tree(kernel string, cta int) error {
	if cta < 1 || cta > 512 || cta&(cta-1) != 0 {
		return fmt.Errorf("%s: a CTA of %d threads; want a power of two, at most 512", kernel, cta)
	}
	return nil
}

// outcome collects the results of a run and compares them with the reference. Its methods implement
// a part of Workload.
type outcome struct {
	wrong, total int
	first        error // the first difference
	results      []Result
}

// expect compares a result with its reference. Both have the same number of elements.
func expect[T element](o *outcome, name string, got, want []T) {
	rawGot, rawWant := encode(got), encode(want)
	size := len(rawWant) / len(want)
	o.results = append(o.results, Result{name, got, want})
	o.total += len(want)
	for i := range want {
		if at := i * size; bytes.Equal(rawGot[at:at+size], rawWant[at:at+size]) {
			continue
		}
		o.wrong++
		if o.first == nil {
			o.first = fmt.Errorf("%s[%d] is %v, the reference says %v", name, i, got[i], want[i])
		}
	}
}

// reset drops the results of the last run.
func (o *outcome) reset() { *o = outcome{} }

// Check implements Workload.
func (o *outcome) Check() error {
	if o.total == 0 {
		return errors.New("nothing to check: the workload did not run")
	}
	if o.first != nil {
		return fmt.Errorf("%d of %d elements differ: %w", o.wrong, o.total, o.first)
	}
	return nil
}

// Mismatch implements Workload.
func (o *outcome) Mismatch() (wrong, total int) { return o.wrong, o.total }

// Results implements Workload.
func (o *outcome) Results() []Result { return o.results }

// flat concatenates the numbers of all elements.
func flat[E any, T element](list []E, numbers func(E) []T) (all []T) {
	for _, e := range list {
		all = append(all, numbers(e)...)
	}
	return all
}
