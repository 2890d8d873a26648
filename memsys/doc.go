// Package memsys is the memory system of the machine.
package memsys
