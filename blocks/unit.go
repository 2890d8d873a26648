package blocks

import (
	"fmt"
	"strings"

	"divergo/internal/nearest"
	"divergo/sm/divergence/verilog"
)

// Mechanisms names the blocks that are whole mechanisms. Unit gives them the ports of a Verilog unit.
func Mechanisms() (names []string) {
	for _, b := range All() {
		if b.promises != "" {
			names = append(names, b.Name)
		}
	}
	return names
}

// Unit returns the shape and the files of a Verilog unit, which package sm/divergence/verilog builds: the
// printed mechanism of a name, and a module around it with the ports of a unit.
func Unit(name string) (verilog.Shape, map[string][]byte, error) {
	b, err := Find(name)
	if err != nil || b.promises == "" {
		return verilog.Shape{}, nil, nearest.Unknown("printed mechanism", name, Mechanisms())
	}
	shape := verilog.Shape{Slots: max(1, b.slots), Spills: b.tokens, Tokens: b.tokens, Compacts: b.compacts}
	text, err := b.Print(Sizes{"lanes": verilog.Lanes, "warps": verilog.Warps})
	if err != nil {
		return shape, nil, err
	}
	var s strings.Builder
	fmt.Fprintf(&s, "// %s, printed in %s.v, between the ports of a unit.\n// divergo: %s\n%s\n  %[2]s %[2]s (\n",
		b.Doc, b.module(), b.promises, shape.Header())
	pins := []string{".clk(clk)", ".reset(rst)"}
	driven := map[string]bool{}
	for _, p := range append(text.Inputs, text.Outputs...) {
		to := p.Name
		if of, ok := strings.CutSuffix(to, "_depth"); ok && p.Bits() == verilog.DepthBits {
			to = of + "[POINT-1:PC]"
		} else if of, ok := strings.CutSuffix(to, "_pc"); ok && p.Bits() == verilog.PCBits {
			to = of + "[PC-1:0]"
		}
		driven[p.Name] = true
		pins = append(pins, fmt.Sprintf(".%s(%s)", p.Name, to))
	}
	fmt.Fprintf(&s, "    %s\n  );\n", strings.Join(pins, ",\n    "))
	for _, p := range text.Outputs {
		if of, ok := strings.CutSuffix(p.Name, "_pc"); ok && p.Bits() == verilog.PCBits && !driven[of+"_depth"] {
			fmt.Fprintf(&s, "  assign %s[POINT-1:PC] = 0;\n", of) // the mechanism has no call depths
		}
	}
	for _, name := range []string{"busy", "error"} {
		if !driven[name] {
			fmt.Fprintf(&s, "  assign %s = 0;\n", name)
		}
	}
	s.WriteString("endmodule\n")
	return shape, map[string][]byte{"unit.sv": []byte(s.String()), b.module() + ".v": []byte(text.Verilog)}, nil
}
