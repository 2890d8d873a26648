package cuda

import (
	"errors"

	"divergo/testbench"
)

// page is the host's page size in bytes. Reserved addresses are multiples of it.
const page = 4096

// virtual answers the requests that manage addresses and memory separately. Sizes and addresses
// follow CUDA's rules (CUDA Driver API, Virtual Memory Management).
func (s *Server) virtual(r *request, a *answer) error {
	session := s.Session
	piece := testbench.Piece(r.A)
	var err error
	switch r.Op {
	case opReserve:
		switch {
		case r.A == 0 || r.A%page != 0 || r.C%page != 0:
			return refuse(invalidValue, "reservation of %d bytes at %#x: want multiples of %d", r.A, r.C, page)
		case r.B&(r.B-1) != 0:
			return refuse(invalidValue, "reservation of %d bytes at multiples of %d: want a power of two", r.A, r.B)
		}
		if a.A, err = session.Reserve(r.A, max(r.B, testbench.Granularity), r.C); err != nil {
			return &refusal{memoryAllocation, err}
		}
		return nil
	case opCreate:
		if err := whole("memory", 0, r.A); err != nil {
			return err
		}
		created, err := session.Create(r.A)
		if err != nil {
			return &refusal{memoryAllocation, err}
		}
		a.A = uint64(created)
		return nil
	case opUnreserve:
		err = session.Unreserve(r.A, r.B)
	case opRelease:
		err = session.Release(piece)
	case opHolds:
		err = session.Holds(piece)
	case opRetain:
		piece, err = session.Retain(r.A)
		a.A = uint64(piece)
	case opMap:
		if err := whole("mapping", r.A, r.B); err != nil {
			return err
		}
		err = session.Map(r.A, r.B, testbench.Piece(r.C))
	case opUnmap:
		err = session.Unmap(r.A, r.B)
	case opSetAccess:
		err = session.SetAccess(r.A, r.B, r.C != 0)
	case opAccess:
		var access bool
		if access, err = session.Access(r.A); access {
			a.A = 1
		}
	}
	switch {
	case errors.Is(err, testbench.ErrTwoAddresses):
		return &refusal{notSupported, err}
	case err != nil:
		return &refusal{invalidValue, err}
	}
	return nil
}

// whole checks that an address and a size are multiples of the granularity.
func whole(what string, addr, bytes uint64) error {
	if bytes == 0 || bytes%testbench.Granularity != 0 || addr%testbench.Granularity != 0 {
		return refuse(invalidValue, "%s of %d bytes at %#x: want multiples of %d", what, bytes, addr,
			testbench.Granularity)
	}
	return nil
}
