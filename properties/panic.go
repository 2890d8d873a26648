package properties

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// calls are the functions that a panic has passed through, the innermost first, up to rtl.Sim.
type calls []runtime.Frame

// panicked returns the calls of the current panic. Only a deferred function calls it.
func panicked() (list calls) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.HasPrefix(f.Function, "divergo/rtl.(*Sim)") {
			break
		}
		list = append(list, f)
		if f.Function == "runtime.gopanic" { // the functions before it are the recovering ones
			list = list[:0]
		}
	}
	return slices.DeleteFunc(list, func(f runtime.Frame) bool { return packageOf(&f) == "runtime" })
}

// packageOf is the path of a function's package.
func packageOf(f *runtime.Frame) string {
	name := strings.LastIndexByte(f.Function, '/') + 1
	path, _, _ := strings.Cut(f.Function[name:], ".")
	return f.Function[:name] + path
}

// blamed returns the function that panicked: the first one of this module.
func (c calls) blamed() *runtime.Frame {
	for i := range c {
		if strings.HasPrefix(c[i].Function, "divergo/") {
			return &c[i]
		}
	}
	return &runtime.Frame{}
}

// first returns the name of the function that panicked, with the last element of its package path.
func (c calls) first() string {
	name := c.blamed().Function
	return name[strings.LastIndexByte(name, '/')+1:]
}

// checks are the packages that check the model.
var checks = []string{
	"divergo/properties", "divergo/properties/books", "divergo/properties/draw", "divergo/internal/audit",
	"divergo/testbench/golden", "divergo/testbench/verify",
}

// ours reports whether the checks panicked, and not the model.
func (c calls) ours() bool { return slices.Contains(checks, packageOf(c.blamed())) }

// String lists the functions with their lines.
func (c calls) String() string {
	var b strings.Builder
	for i := range c {
		fmt.Fprintf(&b, "%s\n\t%s:%d\n", c[i].Function, c[i].File, c[i].Line)
	}
	return b.String()
}
