package rtl

// Resize makes a memory of n zero entries of m, between runs; what it held is lost, and zero is its reset value. A
// memory that is traced keeps its size.
func (m *Mem[T]) Resize(n int) {
	if m.h.traced {
		panic("rtl: Resize of a traced memory")
	}
	m.now, m.next, m.isStaged = make([]T, n), make([]T, n), make([]bool, n)
	m.list, m.reset = m.list[:0], nil
	m.h.fan.mark()
}
