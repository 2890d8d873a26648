package cuda

// The protocol is what a program begins with, and magic each request and answer. What has it not comes from elsewhere: a
// program that writes to a descriptor that is not its own.
const (
	protocol = 1
	magic    = 0x44764721
)

// Requests, as runtime/cudart.c has them.
const (
	opHello     = iota // bytes: the machine
	opModule           // a: module, counted from 1, b: tell at once what is wrong with it; bytes in: PTX
	opFunction         // a: module, bytes in: name; bytes: its layout
	opVariable         // a: module, bytes in: name; a: address, b: size
	opAlloc            // a: size; a: address
	opFree             // a: address
	opWrite            // a: address, b: size, bytes in
	opRead             // a: address, b: size; bytes
	opCopy             // a: to, b: from, c: size
	opSet              // a: address, b: value, c: size
	opLaunch           // a: function, bytes in: grid, block, shared memory and parameters; bytes: what was printed
	opTime             // a: picoseconds of simulated time
	opLeft             // a: bytes that can be allocated, b: all
	opOccupancy        // a: function, b: threads, c: shared memory; a: CTAs of an SM
	opPointer          // a: address; a: start of its allocation, b: size
	opReset            // frees all memory and forgets all modules
	opUnload           // a: module, whose addresses are given back
	opReserve          // a: size, b: alignment, c: address that is wanted; a: address
	opUnreserve        // a: address, b: size
	opCreate           // a: size; a: memory that has no address
	opRelease          // a: memory
	opHolds            // a: memory: is there such
	opRetain           // a: address; a: memory that is mapped there
	opMap              // a: address, b: size, c: memory
	opUnmap            // a: address, b: size
	opSetAccess        // a: address, b: size, c: whether it can be accessed
	opAccess           // a: address; a: whether it can be accessed
)

// descriptor is the one of a program by which it reaches its server.
const descriptor = 3

// request is what a program asks; Bytes more follow. If Window is not 0, the bytes
// of opWrite and opRead go through the window, when the answer has said that they can.
type request struct {
	Magic, Op, Window, _ uint32
	A, B, C, Bytes       uint64
}

// answer is what it gets; Bytes more follow. After a sticky error every other
// request has the same.
type answer struct {
	Magic, Error, Sticky, _ uint32
	A, B, Bytes             uint64
}

// half is half of the window, the memory that program and simulator share: one of them
// fills a half while the other empties the other half, and a byte over the socket
// says that it is done.
const half = 1 << 20

// launch is what the bytes of opLaunch begin with.
type launch struct {
	Grid, Block [3]uint32
	Shared      uint64
}

// machine is what opHello answers.
type machine struct {
	SMs, Warp, Threads, Shared, Registers, CoreKHz, Memory, L2, DRAMKHz, BusBits, Resident, Blocks, Major, Minor uint64
	Name                                                                                                         [64]byte
}

// layout is what the bytes of an answer to opFunction begin with; offset and
// size of each parameter follow.
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
