// Package units holds leaf hardware: small parts that the blocks of a
// streaming multiprocessor are built from, and that know nothing of it. A part
// is not a module; the module that has it as a field owns its registers and
// uses its methods in Tick, where they stand for the part's gates.
//
// Reads of a part see the present, writes take effect at the clock edge,
// unless a method says otherwise.
package units
