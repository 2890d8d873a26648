package dram

// AddrMap says where an address lives. Blocks of Interleave bytes go to the
// channels in turn; the addresses of one channel, closed up, fill a row of bank
// 0, the same row of bank 1 and so on (GPGPU-Sim 2.1.1b: row, bank, column,
// burst, with the channel above the 256-byte block). Any number of channels
// works, since the channel is a remainder and not a bit field.
type AddrMap struct {
	channels, interleave, row, banks uint64
}

// NewAddrMap is the map of a configuration that Check accepts.
func NewAddrMap(c *Config) AddrMap {
	return AddrMap{uint64(c.Channels), uint64(c.Interleave), uint64(c.RowBytes), uint64(c.Banks)}
}

// Channel is the channel that holds addr.
func (m *AddrMap) Channel(addr uint64) int { return int(addr / m.interleave % m.channels) }

// Local is addr among the addresses of its channel, which it numbers without
// gaps from 0.
func (m *AddrMap) Local(addr uint64) uint64 {
	return addr/m.interleave/m.channels*m.interleave + addr%m.interleave
}

// Place is the bank and row of addr in its channel, and the byte in the row.
func (m *AddrMap) Place(addr uint64) (bank uint8, row uint32, col uint16) {
	l := m.Local(addr)
	n := l / m.row
	return uint8(n % m.banks), uint32(n / m.banks), uint16(l % m.row)
}
