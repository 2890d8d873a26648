package races

// The detector tracks memory by words of 4 bytes. It tracks a word by bytes after the first access
// to only some of them.

const (
	pageBits  = 12
	pageWords = 1 << pageBits / 4
	// maxPages limits the pages, of 68 KiB each, to 1.5 GB.
	maxPages = 22_000
)

// mode describes how an access uses memory.
type mode uint8

const (
	used   mode = 1 << iota
	writes      // also set for atomics
	atomic
	strong // atomic, volatile, relaxed, acquire or release
	valued // a write whose value is known
)

// access is an access of a thread.
type access struct {
	cta    uint32
	clock  uint32
	issue  uint32 // number of the instruction among those issued in the launch
	pc     uint32
	thread uint16
	mode   mode
}

// write is a write access with its value, for comparison with another.
type write struct {
	access
	value uint32
}

// cell is the history of a word or a byte: its last write, and the reads since then.
type cell struct {
	write write
	reads [2]access
	bytes bool // the word is tracked by bytes: see page.bytes
}

// page is the history of 4 KiB of memory.
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

// split returns the bytes of a word, and tracks it by bytes from then on.
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
