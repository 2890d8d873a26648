package rtl

import (
	"reflect"
	"unsafe"
)

// This file views values as the bytes that they occupy. The kernel compares, copies, saves and
// hashes values of any type as bytes. Generic code would be compiled again for each type in each
// package. Elaboration has checked that the values are plain data: they hold no pointer, so copying
// their bytes copies them. The views alias the values and keep them alive.
//
// Apart from this file only trace.go uses unsafe.

// bytesOf views a value as its bytes.
func bytesOf[T any](p *T) []byte {
	// A T at p has exactly so many bytes.
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// bytesOfAll views a slice as the bytes of its elements.
func bytesOfAll[T any](s []T) []byte {
	var zero T
	// Elements are contiguous, without gaps. SliceData of an empty slice is not read.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(zero))
}

// valueIn views bytes of a value as the value.
func valueIn[T any](b []byte) *T {
	// The bytes are those of a T, from bytesAt or of an entry of a queue of T.
	return (*T)(unsafe.Pointer(unsafe.SliceData(b)))
}

// wordsOf views the entries of a memory, each as large as a W, as words. Go aligns an allocation by
// its size, so the first entry is aligned as a W.
func wordsOf[W uint32 | uint64 | [2]uint64 | [3]uint64](b []byte) []W {
	var zero W
	// The slice covers no byte outside b.
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))/unsafe.Sizeof(zero))
}

// addressOf is a pointer to an addressable value. It also reaches unexported fields, for which
// reflect gives no usable pointer.
func addressOf(v reflect.Value) reflect.Value {
	// UnsafeAddr panics unless v is addressable, and v has the type passed to NewAt.
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr()))
}

// bytesAt views an addressable value as its bytes.
func bytesAt(v reflect.Value) []byte {
	// Type().Size() equals unsafe.Sizeof for a type known only at run time.
	return unsafe.Slice((*byte)(unsafe.Pointer(v.UnsafeAddr())), v.Type().Size())
}

// bytesBehind views a slice as the bytes of its elements.
func bytesBehind(v reflect.Value) []byte {
	// UnsafePointer of a slice is that of its first element; Len of them follow each other.
	return unsafe.Slice((*byte)(v.UnsafePointer()), uintptr(v.Len())*v.Type().Elem().Size())
}
