package blocks
import ("testing";"fmt";"os";"divergo";"divergo/rtl";"divergo/rtl/verilog")
func TestTry(t *testing.T) {
	lib, err := verilog.Load(divergo.Sources, "isa", "units", "sm/divergence", "blocks")
	if err != nil { t.Fatal(err) }
	m := newCompactor(nil)
	m.In = new(rtl.Wire[CompactorIn])
	x, err := verilog.Print(lib, "compactor", "doc", m, verilog.Sizes{"lanes":4,"warps":4,"row":2})
	if err != nil { t.Fatal(err) }
	fmt.Print(x.Verilog)
	os.WriteFile("/tmp/compactor.v", []byte(x.Verilog), 0o644)
}
