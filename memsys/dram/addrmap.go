package dram

import "math/bits"

// AddrMap maps addresses to channels, banks and rows. Blocks of Interleave bytes go to the channels
// in turn. The addresses of one channel, numbered without gaps, fill a row of bank 0, the same row
// of bank 1 and so on. The order is that of GPGPU-Sim 2.1.1b: row, bank, column, burst, with the
// channel above the 256-byte block. Any number of channels works, because the channel is a
// remainder and not a bit field.
//
// With a hash, the turn of the channels begins elsewhere in each group of as many blocks, as the bits
// above say. So a stride of all channels does not stay in one channel. The number of an address in
// its channel is the same with and without a hash.
type AddrMap struct {
	channels, interleave, row, banks uint64
	fold                             fold
	bits                             int // of the number of a channel
}

// NewAddrMap returns the map of a configuration that has passed Check.
func NewAddrMap(c *Config) AddrMap {
	return AddrMap{
		uint64(c.Channels), uint64(c.Interleave), uint64(c.RowBytes), uint64(c.Banks), c.Hash.Fold(),
		bits.Len(uint(c.Channels - 1)),
	}
}

// Channel returns the channel that holds addr.
func (m *AddrMap) Channel(addr uint64) int {
	block := addr / m.interleave
	return int((block + m.fold(block/m.channels, m.bits)) % m.channels)
}

// Local returns the number of addr among the addresses of its channel, counted without gaps from 0.
func (m *AddrMap) Local(addr uint64) uint64 {
	return addr/m.interleave/m.channels*m.interleave + addr%m.interleave
}

// Place returns the bank and row of addr in its channel, and its byte in the row.
func (m *AddrMap) Place(addr uint64) (bank uint8, row uint32, col uint16) {
	l := m.Local(addr)
	n := l / m.row
	return uint8(n % m.banks), uint32(n / m.banks), uint16(l % m.row)
}
