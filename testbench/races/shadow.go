package races

// Memory is watched by words of 4 bytes, and a word by its bytes once an access is of some
// of them only.

const (
	pageBits  = 12
	pageWords = 1 << pageBits / 4
	// maxPages bounds what pages take, 68 KiB each, to 1.5 GB.
	maxPages = 22_000
)

// mode is how memory is accessed.
type mode uint8

const (
	used   mode = 1 << iota
	writes      // also of atomics
	atomic
	strong // atomic, volatile, relaxed, acquire or release
	valued // a write whose value is known
)

// access is one by a thread.
type access struct {
	cta    uint32
	clock  uint32
	issue  uint32 // number of the instruction among those issued in the launch
	pc     uint32
	thread uint16
	mode   mode
}

// write is one with what two of them are compared by.
type write struct {
	access
	value uint32
}

// cell is what is known of a word or a byte: its last write, and reads since.
type cell struct {
	write write
	reads [2]access
	bytes bool // of a word: see page.bytes
}

// page is that of 4 KiB of memory.
type page struct {
	at    uint64 // number of the page
	stamp uint32 // of the launch, or of the CTA
	cells [pageWords]cell
	bytes map[uint16]*[4]cell
}

// renew empties a page.
func (p *page) renew(at uint64, stamp uint32) {
	clear(p.cells[:])
	p.at, p.stamp, p.bytes = at, stamp, nil
}

// split is the bytes of a word, which is watched by bytes from now on.
func (p *page) split(word uint16) *[4]cell {
	c := &p.cells[word]
	if c.bytes {
		return p.bytes[word]
	}
	if p.bytes == nil {
		p.bytes = map[uint16]*[4]cell{}
	}
	b := new([4]cell)
	for i := range b {
		b[i] = *c
		b[i].write.value = c.write.value >> (8 * i) & 0xff
	}
	c.bytes = true
	p.bytes[word] = b
	return b
}
