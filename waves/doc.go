// Package waves writes waveforms of rtl designs, for GTKWave and other programs that read VCD (IEEE
// 1364-2005, clause 18) or FST. It also writes the files with which GTKWave groups and colours them
// and shows names for values.
//
//	dump, err := waves.Create(sys, "run.vcd", waves.Options{})
//	sys.Run(core, 10000)
//	err = dump.Close() // and then: gtkwave run.gtkw
//
// # What a dump shows
//
// Every signal of the design (see [rtl.Sim.Signals]) becomes a variable with its true width, in
// scopes that follow the fields of the design. Names are legal in every reader: the element sm[3]
// of an array of 16 is the scope sm_03.
//
// Time is in femtoseconds, so that the edges of 1300, 650 and 800 MHz clocks fall on exact places.
// At the start of a cycle, registers, queues and memories change to the values they have in that
// cycle. So do the wires, which follow the registers within the cycle. A column of the picture is
// one state of the hardware. After the last cycle of a domain, its wires keep their last values.
//
// A signal has one value at a time. There are no x, no z, no real numbers and no strings, since
// several readers lose those. The dump starts with $dumpvars and ends with a time. Its writer gets
// whole lines only, so the dump can be read even if the program is killed. The same run gives the
// same bytes on any machine with any number of workers.
//
// # How much of it
//
// [Options] has a filter by path, a window of cycles, and a trigger. For example, "200 before
// sm[*].Div.Stats.Divergent > 0" starts the dump 200 cycles before the first split. Until then
// memory holds only the changes of 200 cycles.
//
// A traced change costs about 12 ns and 10 to 17 bytes. An unchanged signal costs next to nothing,
// and an idle design nothing. Memory does not grow with the length of the run: in a system of
// islands it holds the changes of one quantum. FST is 7 to 16 times smaller than VCD; its writer
// holds a block of changes, some 20 MB.
//
// # Names for values
//
// A signal whose type is an integer with a String method shows names in GTKWave instead of numbers.
// [Options.Names] does the same for PCs or any other signal. The dump itself holds the numbers. The
// names are in files next to it, which GTKWave applies to signals of two bits or more.
//
// Package [divergo/waves/vcdread] reads dumps back.
package waves
