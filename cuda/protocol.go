package cuda

// protocol is the version byte that a program sends first. Each request and each answer begins with
// magic.
//
// Other data come from elsewhere: a process that writes to a descriptor that is not its own.
const (
	protocol = 1
	magic    = 0x44764721
)

// The requests, as in runtime/cudart.c. a, b and c are fields of the request before the semicolon,
// and of the answer behind it.
const (
	opHello     = iota // bytes: machine
	opModule           // a: module, counted from 1, b: report its faults at once, bytes in: PTX
	opFunction         // a: module, bytes in: name; bytes: layout
	opVariable         // a: module, bytes in: name; a: address, b: size
	opAlloc            // a: size; a: address
	opFree             // a: address
	opWrite            // a: address, b: size, bytes in
	opRead             // a: address, b: size; bytes
	opCopy             // a: to, b: from, c: size
	opSet              // a: address, b: value, c: size
	opLaunch           // a: function, bytes in: grid, block, shared memory and parameters; bytes: output of printf
	opTime             // a: picoseconds of simulated time
	opLeft             // a: free bytes, b: total bytes
	opOccupancy        // a: function, b: threads, c: bytes of shared memory; a: CTAs of an SM
	opPointer          // a: address; a: start of its allocation, b: size
	opReset            // frees all memory and drops all modules
	opUnload           // a: module; frees its addresses
	opReserve          // a: size, b: alignment, c: wanted address; a: address
	opUnreserve        // a: address, b: size
	opCreate           // a: size; a: memory without an address
	opRelease          // a: memory
	opHolds            // a: memory; an error if it does not exist
	opRetain           // a: address; a: memory mapped there
	opMap              // a: address, b: size, c: memory
	opUnmap            // a: address, b: size
	opSetAccess        // a: address, b: size, c: accessible or not
	opAccess           // a: address; a: accessible or not
)

// descriptor is the file descriptor of the socket in a program.
const descriptor = 3

// request is a request of a program. Bytes more bytes follow. If Window is not 0, the data of
// opWrite and opRead go through the window after a successful answer.
type request struct {
	Magic, Op, Window, _ uint32
	A, B, C, Bytes       uint64
}

// answer is the reply to a request. Bytes more bytes follow. After a sticky error, every other
// request gets the same error.
type answer struct {
	Magic, Error, Sticky, _ uint32
	A, B, Bytes             uint64
}

// half is the size of half a window, in bytes. The window is memory shared by the program and the
// simulator. One side fills a half while the other empties the other half; a byte over the socket
// reports that it is done.
const half = 1 << 20

// launch is the start of opLaunch's bytes.
type launch struct {
	Grid, Block [3]uint32
	Shared      uint64
}

// machine is the answer to opHello.
type machine struct {
	SMs, Warp, Threads, Shared, Registers, CoreKHz, Memory, L2 uint64
	DRAMKHz, BusBits, Resident, Blocks, Major, Minor           uint64

	Name [64]byte
}

// layout is the start of opFunction's answer. The offset and size of each parameter follow.
type layout struct {
	Handle, Bank, Shared, Local, Registers, Threads, Params uint64
}

// Error codes of CUDA (CUDA Runtime API, cudaError_t).
const (
	success              = 0
	invalidValue         = 1
	memoryAllocation     = 2
	invalidConfiguration = 9
	invalidSymbol        = 13
	invalidDevicePointer = 17
	invalidFunction      = 98
	invalidPTX           = 218
	invalidHandle        = 400
	illegalAddress       = 700
	outOfResources       = 701
	launchTimeout        = 702
	assertFailed         = 710
	misalignedAddress    = 716
	invalidPC            = 718
	launchFailure        = 719
	notSupported         = 801
)
