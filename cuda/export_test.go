package cuda

import (
	"encoding/binary"
	"io"
)

// CallSites exports callSites.
var CallSites = callSites

// Serve exports serve.
func (s *Server) Serve(conn io.ReadWriter) error { return s.serve(conn) }

// Request returns the bytes of a request, as a program sends it.
func Request(op, window uint32, a, b, c uint64, bytes []byte) []byte {
	r := request{Magic: magic, Op: op, Window: window, A: a, B: b, C: c, Bytes: uint64(len(bytes))}
	data, err := binary.Append(nil, binary.LittleEndian, &r)
	if err != nil {
		panic(err)
	}
	return append(data, bytes...)
}
