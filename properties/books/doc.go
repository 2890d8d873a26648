// Package books models each SM during a run, and reports impossible events.
//
// Each model follows one thing. Examples are the place of each thread, the registers still to be
// written, and the warps that a compactor has to make. A model works from the events of the hardware.
// It reads nothing from the mechanism that it can compute itself.
//
//	                 +--> lanes, home, uniform, meeting, fair, prompt, liveness
//	events --> View -+--> places, barriers, scoreboard, transfers   (other models read these)
//	                 +--> models of the mechanism: stack, forming, compactor
//
// A model declares what it needs of another in an interface. Observer connects them, and
// mechanisms.go lists the models of each mechanism. Register adds a model for your own mechanism.
package books
