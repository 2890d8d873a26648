// Package books follows each SM during a run, and reports what cannot be.
//
// A book is a model of one thing that the hardware does, such as where each thread is, which
// registers are still to be written, or which warps a compactor has to make. It is fed by the
// events of the hardware alone, and asks a mechanism nothing that it can know itself.
//
//	                 +--> lanes, home, uniform, meeting, fair, prompt, liveness
//	events --> View -+--> places, barriers, scoreboard, transfers   (models that others ask)
//	                 +--> books of the mechanism: stack, forming, compactor
//
// A book that needs a model says in an interface what it asks it. Observer puts them
// together; mechanisms.go lists the books of each mechanism. A mechanism of your own adds
// one by Register.
package books
