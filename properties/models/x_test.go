package models
import ("testing";"divergo/properties/draw";"fmt";"os")
func TestX(t *testing.T) {
	var seed uint64
	fmt.Sscan(os.Getenv("SEED"), &seed)
	n, err := compare(t, os.Getenv("MECH"), seed, seed+1, Models[os.Getenv("MODEL")])
	t.Log(n, err)
	c := draw.New(seed, features)
	k, _ := c.Compile()
	k, _ = k.For(os.Getenv("MECH"))
	for pc, in := range k.Prog.Insts { fmt.Println(pc, k.Prog.Mnemonic(uint32(pc)), int32(in.Target), int32(in.Reconv), int32(in.Likely), in.Uniform) }
	for _, s := range k.Machine.Resolved() { if s.Key[:4]=="dive" {fmt.Println(s.Key, s.Value)} }
	fmt.Println(c.Grid, c.Block, k.Machine.SM.WarpSize)
}
