// Package units holds leaf hardware: small parts of the blocks of a streaming multiprocessor. A
// part knows nothing of the block around it and is not a module. The module that has the part as a
// field owns its registers. It calls the part's methods in Tick, where they stand for gates.
//
// Reads of a part return values of the current cycle, and writes take effect at the clock edge.
// Methods that differ say so.
package units
