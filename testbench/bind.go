package testbench

import (
	"errors"
	"fmt"
	"strings"

	"divergo/isa"
)

// CheckArgs compares arguments with the parameters of a kernel and reports every difference, by
// index, name and declared type.
func CheckArgs(p *isa.Program, args []Arg) error {
	var errs []error
	for i := range p.Params {
		if i >= len(args) {
			errs = append(errs, fmt.Errorf("parameter %d, %s: no argument, want %s", i, paramText(&p.Params[i]),
				example(p, &p.Params[i])))
			continue
		}
		if err := checkArg(p, &p.Params[i], &args[i]); err != nil {
			errs = append(errs, fmt.Errorf("parameter %d, %s: given %s, want %w", i, paramText(&p.Params[i]),
				args[i].Spec, err))
		}
	}
	for i := len(p.Params); i < len(args); i++ {
		errs = append(errs, fmt.Errorf("argument %d, %s: one too many", i, args[i].Spec))
	}
	if len(errs) > 0 {
		errs = append(errs, errors.New("the kernel is "+signature(p)))
	}
	return errors.Join(errs...)
}

// checkArg returns an error that names the expected argument, or nil.
func checkArg(p *isa.Program, param *isa.Param, a *Arg) error {
	size := uint64(param.Size)
	float := param.Type.Float()
	switch {
	case a.Buffer && !pointer(p, param):
		return fmt.Errorf("%s: no pointer of %d bits", example(p, param), p.AddressBits)
	case a.Buffer:
		return nil
	case a.Bytes != size:
		return fmt.Errorf("%d bytes, not %d: %s", size, a.Bytes, example(p, param))
	case a.Type.Float() && !float && !untyped(param.Type):
		return errors.New("an integer: " + example(p, param))
	case float && !a.Type.Float() && !untyped(a.Type):
		return errors.New("a floating-point number: " + example(p, param))
	}
	return nil
}

// pointer reports whether a parameter can hold an address.
func pointer(p *isa.Program, param *isa.Param) bool {
	return uint64(param.Size)*8 == uint64(p.AddressBits) && param.Type.Bytes() == int(param.Size) && !param.Type.Float()
}

func untyped(t isa.Type) bool { return t >= isa.B8 && t <= isa.B64 }

// example returns a specification that fits param.
func example(p *isa.Program, param *isa.Param) string {
	name := typeName(param.Type)
	switch {
	case param.Type.Bytes() != int(param.Size):
		return fmt.Sprintf("%d values %s:V1,V2,...", int(param.Size)/param.Type.Bytes(), name)
	case pointer(p, param):
		return name + ":VALUE or buf:..."
	}
	return name + ":VALUE"
}

func paramText(param *isa.Param) string {
	if n := int(param.Size) / max(param.Type.Bytes(), 1); n > 1 {
		return fmt.Sprintf("%s (.%s[%d])", param.Name, typeName(param.Type), n)
	}
	return fmt.Sprintf("%s (.%s)", param.Name, typeName(param.Type))
}

// signature describes the kernel with its parameters.
func signature(p *isa.Program) string {
	var params []string
	for i := range p.Params {
		params = append(params, paramText(&p.Params[i]))
	}
	return p.Name + "(" + strings.Join(params, ", ") + ")"
}
