package units

import "divergo/rtl"

// Stack is a bank of stacks of equal capacity, for example one for each warp. Pushes and pops of
// one cycle build on each other: Top returns the updated entry. All changes are registered at the
// clock edge.
type Stack[T any] struct {
	Entries  *rtl.Mem[T]     `rtl:"inplace" trace:"true"` // by stack, bottom first
	Depth    *rtl.Mem[uint8] `rtl:"inplace" trace:"true"` // entries in use, by stack
	capacity int
	empty    T
}

// NewStack makes n empty stacks of the given capacity, at most 255 entries. Entries above the depth
// have the value empty, so that a waveform shows only what is in use. Hardware leaves old values.
func NewStack[T any](n, capacity int, empty T) Stack[T] {
	k := Stack[T]{rtl.NewMem[T](n * capacity), rtl.NewMem[uint8](n), capacity, empty}
	for i := range n * capacity {
		k.Entries.Set(i, empty)
	}
	return k
}

// Len returns the number of entries of stack s, including the updates of this cycle.
func (k *Stack[T]) Len(s int) int { return int(*k.Depth.Next(s)) }

// Top returns the top entry of stack s, for reading and writing. The stack must not be empty.
func (k *Stack[T]) Top(s int) *T { return k.Entry(s, k.Len(s)-1) }

// Entry returns entry i of stack s, counted from the bottom, for reading and writing.
func (k *Stack[T]) Entry(s, i int) *T { return k.Entries.Edit(s*k.capacity + i) }

// At returns entry i of stack s, read-only, without the updates of this cycle. Call it before the
// entry changes in the cycle.
func (k *Stack[T]) At(s, i int) *T { return k.Entries.At(s*k.capacity + i) }

// Peek returns the top entry of stack s, read-only, without the updates of this cycle. The stack
// must not be empty. Call it before the stack changes in the cycle.
func (k *Stack[T]) Peek(s int) *T { return k.At(s, int(*k.Depth.At(s))-1) }

// Push adds an entry on top of stack s and returns the new depth. It panics if the stack is full:
// the design sized it wrongly.
func (k *Stack[T]) Push(s int, e T) int {
	d := k.Depth.Edit(s)
	if int(*d) == k.capacity {
		panic("units: push to a full stack")
	}
	*k.Entry(s, int(*d)) = e
	*d++
	return int(*d)
}

// Insert puts an entry at place i of stack s and returns the new depth. Entries from place i on
// move up by one.
func (k *Stack[T]) Insert(s, i int, e T) int {
	n := k.Push(s, e)
	for j := n - 1; j > i; j-- {
		*k.Entry(s, j) = *k.Entry(s, j-1)
	}
	*k.Entry(s, i) = e
	return n
}

// Pop removes the top entry of stack s and returns the remaining depth.
func (k *Stack[T]) Pop(s int) int {
	d := k.Depth.Edit(s)
	*d--
	*k.Entry(s, int(*d)) = k.empty
	return int(*d)
}
