package verilog_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/verilog"
)

// source is the code of the modules below, as a program would embed it.
const source = `package verilog_test

import "divergo/rtl"

type Counter struct {
	rtl.State[struct{ N uint8 }]
	In  *rtl.Wire[struct{ Up bool }]
	Out rtl.Wire[struct{ N uint8 }]
}

func (c *Counter) Tick() {
	n := c.Q().N
	c.Out.Set(struct{ N uint8 }{n})
	if c.In.Get().Up {
		c.D().N = n + 1
	}
}

type Endless struct {
	In  *rtl.Wire[struct{ N uint8 }]
	Out rtl.Wire[struct{ N uint8 }]
}

func (e *Endless) Tick() {
	n := uint8(0)
	for x := e.In.Get().N; x != 7; x = x*3 + 1 {
		n++
	}
	e.Out.Set(struct{ N uint8 }{n})
}

type Echo struct {
	In  *rtl.Wire[struct{ N uint8 }]
	Out rtl.Wire[struct{ N uint8 }]
}

func (e *Echo) Tick() { e.Out.Set(struct{ N uint8 }{e.In.Get().N + 1}) }
`

// Counter counts the cycles in which Up is set.
type Counter struct {
	rtl.State[struct{ N uint8 }]
	In  *rtl.Wire[struct{ Up bool }]
	Out rtl.Wire[struct{ N uint8 }]
}

// Tick counts.
func (c *Counter) Tick() {
	n := c.Q().N
	c.Out.Set(struct{ N uint8 }{n})
	if c.In.Get().Up {
		c.D().N = n + 1
	}
}

// Endless has a loop whose length depends on its input.
type Endless struct {
	In  *rtl.Wire[struct{ N uint8 }]
	Out rtl.Wire[struct{ N uint8 }]
}

// Tick counts the steps of a sequence.
func (e *Endless) Tick() {
	n := uint8(0)
	for x := e.In.Get().N; x != 7; x = x*3 + 1 {
		n++
	}
	e.Out.Set(struct{ N uint8 }{n})
}

// Echo has an output with the name of its input.
type Echo struct {
	In  *rtl.Wire[struct{ N uint8 }]
	Out rtl.Wire[struct{ N uint8 }]
}

// Tick adds one.
func (e *Echo) Tick() { e.Out.Set(struct{ N uint8 }{e.In.Get().N + 1}) }

func load(t testing.TB) *verilog.Library {
	t.Helper()
	files := fstest.MapFS{"rtl/verilog_test/counter.go": {Data: []byte(source)}}
	lib, err := verilog.Load(files, "rtl/verilog_test")
	require.NoError(t, err)
	return lib
}

// TestPrint: the counter adds one to its register if its input is set.
func TestPrint(t *testing.T) {
	c := &Counter{In: new(rtl.Wire[struct{ Up bool }])}
	text, err := verilog.Print(load(t), "counter", "A counter.", c, nil)
	require.NoError(t, err)
	assert.True(t, text.Clocked)
	assert.Equal(t, 8, text.Registers)
	for _, line := range []string{
		"module counter(", "input  up", "output [7:0] n", "if (up) n_q <= ", "n_q <= 8'd0;", "n_q + 8'd1", "// counter.go:15",
	} {
		assert.Contains(t, text.Verilog, line)
	}
}

// TestRefusal: a loop that no hardware could run in a cycle is refused, with its place.
func TestRefusal(t *testing.T) {
	e := &Endless{In: new(rtl.Wire[struct{ N uint8 }])}
	_, err := verilog.Print(load(t), "endless", "", e, nil)
	var refusal *verilog.Refusal
	require.ErrorAs(t, err, &refusal)
	assert.Contains(t, refusal.Place, "counter.go:2")
	assert.Contains(t, refusal.Reason, "the length of this loop depends on data")
}

// TestEqualNames: an output with the name of an input gets a name of its own, in the text and in the
// list of ports.
func TestEqualNames(t *testing.T) {
	e := &Echo{In: new(rtl.Wire[struct{ N uint8 }])}
	text, err := verilog.Print(load(t), "echo", "", e, nil)
	require.NoError(t, err)
	assert.Equal(t, "n", text.Inputs[0].Name)
	assert.Equal(t, "n_2", text.Outputs[0].Name)
	for _, line := range []string{"input  [7:0] n,", "output [7:0] n_2)", "assign n_2 = (n + 8'd1);"} {
		assert.Contains(t, text.Verilog, line)
	}
}

// A module is printed from its source, which the program holds.
func ExamplePrint() {
	files := fstest.MapFS{"rtl/verilog_test/counter.go": {Data: []byte(source)}}
	lib, err := verilog.Load(files, "rtl/verilog_test")
	if err != nil {
		panic(err)
	}
	text, err := verilog.Print(lib, "counter", "Counts up.", &Counter{In: new(rtl.Wire[struct{ Up bool }])}, nil)
	if err != nil {
		panic(err)
	}
	first, _, _ := strings.Cut(text.Verilog, ",")
	fmt.Println(first)
	// Output:
	// // Counts up.
	// module counter(
	//   input  clk
}
