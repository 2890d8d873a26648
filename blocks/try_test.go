package blocks
import ("testing";"os";"os/exec";"strings";"fmt")
func TestTry(t *testing.T) {
	os.MkdirAll("/tmp/rv", 0o755)
	for _, b := range All() {
		for _, small := range []bool{true,false} {
		x, err := b.Print(b.Defaults(small))
		if err != nil { t.Error(err); continue }
		f := fmt.Sprintf("/tmp/rv/%s%v.v", b.Name, small)
		os.WriteFile(f, []byte(x.Verilog), 0o644)
		o, err := exec.Command("verilator", "--lint-only","-Wall","-Wno-DECLFILENAME","--top-module",x.Name,f).CombinedOutput()
		t.Log(b.Name, small, strings.Count(x.Verilog,"\n"), x.Registers, x.Memory, string(o), err)
		}
	}
}
