package units

import "divergo/rtl"

// Stack is a bank of stacks of equal capacity, such as one for each warp. In
// the cycle of an update a reader of Top sees what the update has made of it,
// because pushes and pops of one cycle build on each other; everything is
// registered at the edge.
type Stack[T any] struct {
	Entries  *rtl.Mem[T]     `rtl:"inplace" trace:"true"` // by stack, bottom first
	Depth    *rtl.Mem[uint8] `rtl:"inplace" trace:"true"` // entries in use, by stack
	capacity int
}

// NewStack makes n empty stacks of at most 255 entries.
func NewStack[T any](n, capacity int) Stack[T] {
	return Stack[T]{rtl.NewMem[T](n * capacity), rtl.NewMem[uint8](n), capacity}
}

// Len is the number of entries of stack s, this cycle's updates included.
func (k *Stack[T]) Len(s int) int { return int(*k.Depth.Next(s)) }

// Top is the top entry of stack s, which must not be empty, for reading and
// writing.
func (k *Stack[T]) Top(s int) *T { return k.Entry(s, k.Len(s)-1) }

// Entry is entry i of stack s, counted from the bottom, for reading and
// writing.
func (k *Stack[T]) Entry(s, i int) *T { return k.Entries.Edit(s*k.capacity + i) }

// At is the present value of entry i of stack s, to be asked for before that is
// changed in the cycle. It is read-only.
func (k *Stack[T]) At(s, i int) *T { return k.Entries.At(s*k.capacity + i) }

// Peek is the present top entry of stack s, which must not be empty, to be asked for
// before the stack is changed in the cycle. It is read-only.
func (k *Stack[T]) Peek(s int) *T { return k.At(s, int(*k.Depth.At(s))-1) }

// Push adds an entry on top of stack s and returns the new depth. A full stack
// is a fault of the design that sized it.
func (k *Stack[T]) Push(s int, e T) int {
	d := k.Depth.Edit(s)
	if int(*d) == k.capacity {
		panic("units: push to a full stack")
	}
	*k.Entry(s, int(*d)) = e
	*d++
	return int(*d)
}

// Insert puts an entry at place i of stack s, under those that are there and above,
// and returns the new depth.
func (k *Stack[T]) Insert(s, i int, e T) int {
	n := k.Push(s, e)
	for j := n - 1; j > i; j-- {
		*k.Entry(s, j) = *k.Entry(s, j-1)
	}
	*k.Entry(s, i) = e
	return n
}

// Pop removes the top entry of stack s and returns the depth that is left.
func (k *Stack[T]) Pop(s int) int {
	d := k.Depth.Edit(s)
	*d--
	return int(*d)
}
