package dump_test

import (
	"bytes"
	"fmt"
	"strings"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/testbench"
	"divergo/testbench/dump"
	"divergo/waves"
)

// Example dumps one warp buffer of a kernel that does nothing.
func Example() {
	m, err := ptx.Parse("k.ptx", []byte(".version 7.6\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }"))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := testbench.Program(m, "k")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := testbench.NewSession(gpu.Default(), testbench.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var vcd bytes.Buffer
	var d *waves.Dump
	s.OnLaunch.Add(func(l *testbench.Loaded) {
		d, err = dump.Attach(s, &vcd, waves.Options{Filter: []string{"sm[0].Div.Table[0].**"}})
		l.Refuse(err)
	})
	one := [3]uint32{1, 1, 1}
	fmt.Println(s.Launch(testbench.Launch{Prog: p, Grid: one, Block: one}), d.Close())
	fmt.Println(strings.Contains(vcd.String(), " Mask "))
	// Output:
	// <nil> <nil>
	// true
}
