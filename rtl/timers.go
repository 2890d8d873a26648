package rtl

import "math/bits"

// Never is a cycle that is never reached.
const Never = 1 << 62

// timers holds the wake-ups of processes at a known cycle, one bit for each process. Each cycle
// less than wheelLen ahead has a row of a wheel. For cycles further away each bit has one slot,
// which keeps the earliest.
type timers struct {
	due   uint64 // earliest cycle with a timer, or Never
	words int    // of a row
	wheel []uint64
	used  [wheelLen / 64]uint64 // rows that are not empty
	far   []uint64              // by bit, Never = none
	isFar []uint64              // bits with a far timer
	next  uint64                // earliest of far
}

const wheelLen = 256

func newTimers(words int) timers {
	t := timers{
		words: words, wheel: make([]uint64, wheelLen*words), far: make([]uint64, 64*words),
		isFar: make([]uint64, words),
	}
	t.clear()
	return t
}

func (t *timers) clear() {
	t.due, t.next = Never, Never
	t.used = [wheelLen / 64]uint64{}
	clear(t.wheel)
	clear(t.isFar)
	for i := range t.far {
		t.far[i] = Never
	}
}

// set arms bit for cycle at > now.
func (t *timers) set(bit int, at, now uint64) {
	t.due = min(t.due, at)
	if at-now >= wheelLen {
		t.setFar(bit, at)
		return
	}
	row := at % wheelLen
	t.wheel[int(row)*t.words+bit/64] |= 1 << (bit % 64)
	t.used[row/64] |= 1 << (row % 64)
}

func (t *timers) setFar(bit int, at uint64) {
	t.far[bit] = min(t.far[bit], at)
	t.isFar[bit/64] |= 1 << (bit % 64)
	t.next = min(t.next, at)
}

// row is the bits that are due now, for the caller to clear; call advance afterwards.
func (t *timers) row(now uint64) []uint64 {
	if t.next-now < wheelLen {
		t.fetch(now)
	}
	row := int(now % wheelLen)
	t.used[row/64] &^= 1 << (row % 64)
	return t.wheel[row*t.words : (row+1)*t.words]
}

// fetch moves the far timers that are less than wheelLen ahead into the wheel.
func (t *timers) fetch(now uint64) {
	t.next = Never
	for w := range t.isFar {
		for m := t.isFar[w]; m != 0; m &= m - 1 {
			bit := w*64 + bits.TrailingZeros64(m)
			at := t.far[bit]
			if at-now >= wheelLen {
				t.next = min(t.next, at)
				continue
			}
			t.far[bit] = Never
			t.isFar[w] &^= m & -m
			t.set(bit, at, now)
		}
	}
}

// advance finds the next due cycle after now.
func (t *timers) advance(now uint64) {
	t.due = t.next
	start := (now + 1) % wheelLen
	for i := range uint64(len(t.used) + 1) {
		w := (start/64 + i) % uint64(len(t.used))
		m := t.used[w]
		if i == 0 {
			m &= ^uint64(0) << (start % 64)
		}
		if m != 0 {
			row := w*64 + uint64(bits.TrailingZeros64(m))
			t.due = min(t.due, now+1+(row-start)%wheelLen)
			return
		}
	}
}

func (t *timers) save(b []byte) []byte {
	head := [2]uint64{t.due, t.next}
	b = append(b, bytesOf(&head)...)
	b = append(b, bytesOfAll(t.wheel)...)
	b = append(b, bytesOf(&t.used)...)
	b = append(b, bytesOfAll(t.isFar)...)
	return append(b, bytesOfAll(t.far)...)
}

func (t *timers) load(b []byte) []byte {
	var head [2]uint64
	b = b[copy(bytesOf(&head), b):]
	t.due, t.next = head[0], head[1]
	b = b[copy(bytesOfAll(t.wheel), b):]
	b = b[copy(bytesOf(&t.used), b):]
	b = b[copy(bytesOfAll(t.isFar), b):]
	return b[copy(bytesOfAll(t.far), b):]
}
