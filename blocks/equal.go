package blocks

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"

	"divergo/internal/output"
	"divergo/rtl/verilog"
)

// Simulator runs printed Verilog.
type Simulator string

// The simulators.
const (
	Verilator Simulator = "verilator"
	Icarus    Simulator = "iverilog"
)

// Case is a block with sizes, to be compared with its Verilog.
type Case struct {
	Block *Block
	Sizes Sizes
}

// Equal runs blocks and their Verilog on the same random inputs, for the given number of cycles. All
// are built as one simulation. The error names the first block, cycle and port that differ. Some
// cycles reset both.
func Equal(cases []Case, sim Simulator, cycles int, seed uint64) error {
	x := &comparison{sim: sim, random: rand.New(rand.NewPCG(seed, 1))}
	for _, c := range cases {
		text, err := c.Block.Print(c.Sizes)
		if err != nil {
			return err
		}
		if err := x.add(c, text); err != nil {
			return err
		}
	}
	return x.compare(cycles)
}

// add adds a block with its Verilog.
func (x *comparison) add(c Case, text *verilog.Text) error {
	m, err := c.Block.Model(c.Sizes)
	x.units = append(x.units, &compared{c.Block.Name, text, m})
	return err
}

// compare builds the Verilog and runs both sides.
func (x *comparison) compare(cycles int) error {
	folder, err := output.TempFolder()
	if err != nil {
		return err
	}
	defer folder.Remove()
	command, err := x.build(folder)
	if err != nil {
		return err
	}
	return x.run(exec.Command(command[0], command[1:]...), cycles)
}

// comparison runs both sides.
type comparison struct {
	sim    Simulator
	units  []*compared
	random *rand.Rand
	small  bool // until the next reset, wide inputs are small: those of paths that meet are often equal
}

// compared is a block in a comparison.
type compared struct {
	name  string
	text  *verilog.Text
	model *Model
}

// width is the number of words of all inputs, with a bit for the reset, or of all outputs.
func (x *comparison) width(inputs bool) int {
	n := 0
	for _, u := range x.units {
		if inputs {
			n += bitsOf(u.text.Inputs)
		} else {
			n += bitsOf(u.text.Outputs)
		}
	}
	if inputs {
		n++
	}
	return words(n)
}

// bitsOf is the sum of the widths of ports.
func bitsOf(ports []verilog.Port) (n int) {
	for i := range ports {
		n += ports[i].Bits()
	}
	return n
}

// wrapper is a module with all inputs in one vector, the lowest bit of which is the reset, and all
// outputs in another.
func (x *comparison) wrapper() string {
	var b strings.Builder
	in, out := 1, 0
	fmt.Fprintf(&b, "module bench(input clk, input [%d:0] in, output [%d:0] out);\n", x.width(true)*32-1, x.width(false)*32-1)
	for i, u := range x.units {
		var ports []string
		if u.text.Clocked {
			ports = append(ports, ".clk(clk)", ".reset(in[0])")
		}
		for _, p := range u.text.Inputs {
			ports = append(ports, fmt.Sprintf(".%s(in[%d:%d])", p.Name, in+p.Bits()-1, in))
			in += p.Bits()
		}
		for _, p := range u.text.Outputs {
			ports = append(ports, fmt.Sprintf(".%s(out[%d:%d])", p.Name, out+p.Bits()-1, out))
			out += p.Bits()
		}
		fmt.Fprintf(&b, "  %s u%d(%s);\n", u.text.Name, i, strings.Join(ports, ", "))
	}
	if rest := x.width(false)*32 - out; rest > 0 {
		fmt.Fprintf(&b, "  assign out[%d:%d] = 0;\n", x.width(false)*32-1, out)
	}
	return b.String() + "endmodule\n"
}

// words is the number of words of 32 bits that hold n bits, at least three: Verilator then stores
// every vector in the same way.
func words(n int) int { return max(3, (n+31)/32) }

// build compiles the Verilog and returns the command that runs it: it reads the words of the inputs
// and writes those of the outputs, cycle by cycle.
func (x *comparison) build(folder *output.Scratch) ([]string, error) {
	var text strings.Builder
	for _, u := range x.units {
		text.WriteString(u.text.Verilog)
	}
	if err := folder.WriteFile(folder.Path("block.v"), []byte(text.String()+x.wrapper())); err != nil {
		return nil, err
	}
	in, out := x.width(true), x.width(false)
	if x.sim == Icarus {
		if err := Needs("iverilog", "vvp"); err != nil {
			return nil, err
		}
		if err := folder.WriteFile(folder.Path("top.v"), fmt.Appendf(nil, icarusTop, in*32, out*32)); err != nil {
			return nil, err
		}
		_, err := run(folder, "iverilog", "-g2005", "-o", "sim.vvp", "top.v", "block.v")
		return []string{"vvp", "-n", folder.Path("sim.vvp")}, err
	}
	if err := Needs("verilator", "g++", "make"); err != nil {
		return nil, err
	}
	if err := folder.WriteFile(folder.Path("main.cc"), fmt.Appendf(nil, verilatorMain, in, out)); err != nil {
		return nil, err
	}
	_, err := run(folder, "verilator", "--cc", "--exe", "--build", "-Wno-fatal", "-Wno-WIDTH", "-Wno-UNUSED", "-O3",
		"--x-initial", "0", "--top-module", "bench", "--Mdir", "obj", "-CFLAGS", "-O0", "block.v", "main.cc")
	return []string{folder.Path("obj/Vbench")}, err
}

// The outputs are those of the cycle in which the inputs are there, before the clock edge.
const verilatorMain = `#include "Vbench.h"
#include <cstdint>
#include <cstdio>
double sc_time_stamp() { return 0; }
int main() {
	Vbench* top = new Vbench;
	uint32_t in[%[1]d], out[%[2]d];
	while (fread(in, 4, %[1]d, stdin) == %[1]d) {
		for (int i = 0; i < %[1]d; i++) top->in[i] = in[i];
		top->clk = 0;
		top->eval();
		for (int i = 0; i < %[2]d; i++) out[i] = top->out[i];
		fwrite(out, 4, %[2]d, stdout);
		top->clk = 1;
		top->eval();
	}
	fflush(stdout);
	return 0;
}
`

const icarusTop = `module top;
  reg [%[1]d-1:0] in; wire [%[2]d-1:0] out; reg clk; integer n;
  bench b(.clk(clk), .in(in), .out(out));
  initial begin
    clk = 0;
    n = $fscanf(32'h8000_0000, "%%h\n", in);
    while (n == 1) begin
      #1 $display("%%h", out);
      clk = 1;
      #1 clk = 0;
      n = $fscanf(32'h8000_0000, "%%h\n", in);
    end
    $finish;
  end
endmodule
`

// batch is the number of cycles that are on their way to a simulator at once.
const batch = 1000

func (x *comparison) run(c *exec.Cmd, cycles int) error {
	stdin, to, err := os.Pipe()
	if err != nil {
		return err
	}
	from, stdout, err := os.Pipe()
	if err != nil {
		return err
	}
	defer from.Close()
	c.Stdin, c.Stdout = stdin, stdout
	child, err := output.Start(c)
	stdin.Close()
	stdout.Close()
	if err != nil {
		to.Close()
		return err
	}
	defer child.Kill()
	want := make(chan [][]uint64, 16)
	go func() {
		x.feed(to, want, cycles)
		to.Close()
		close(want)
	}()
	r := bufio.NewReaderSize(from, 1<<16)
	n := x.width(false)
	cycle := 0
	for group := range want {
		for _, outputs := range group {
			got, err := next(r, n, x.sim)
			if cycle == 0 { // it resets: before, nothing is known
				cycle++
				continue
			}
			if err != nil {
				return fmt.Errorf("%s ended in cycle %d of %d: %w", x.sim, cycle, cycles, err)
			}
			if err := x.check(cycle, outputs, got); err != nil {
				return err
			}
			cycle++
		}
	}
	return child.Wait()
}

// feed runs the models and writes their inputs. The outputs go first, so that they are expected when the
// simulator begins to answer.
func (x *comparison) feed(to io.Writer, want chan<- [][]uint64, cycles int) {
	var group [][]uint64
	var w bytes.Buffer
	v := make([]uint32, x.width(true))
	for cycle := range cycles {
		clear(v)
		reset := cycle == 0 || x.random.IntN(500) == 0
		if reset {
			v[0], x.small = 1, x.random.IntN(2) == 0
		}
		at := 1
		var out []uint64
		for _, u := range x.units {
			var in []uint64
			for _, p := range u.text.Inputs {
				for range p.Index {
					in = append(in, x.draw(p.Width))
					put(v, at, p.Width, in[len(in)-1])
					at += p.Width
				}
			}
			out = u.model.Step(u.text, in, out)
			if reset {
				u.model.Reset()
			}
		}
		if x.sim == Icarus {
			for i := len(v) - 1; i >= 0; i-- {
				fmt.Fprintf(&w, "%08x", v[i])
			}
			w.WriteByte('\n')
		} else {
			for _, word := range v {
				w.Write(binary.LittleEndian.AppendUint32(nil, word))
			}
		}
		if group = append(group, out); len(group) == batch || cycle == cycles-1 {
			want <- group
			to.Write(w.Bytes()) // an error means that the simulator has ended: the reader says so
			group = nil
			w.Reset()
		}
	}
}

// draw is a random number, often with few bits set, and often small.
func (x *comparison) draw(width int) uint64 {
	v := x.random.Uint64()
	switch x.random.IntN(6) {
	case 0:
		v &= x.random.Uint64()
	case 1:
		v &= x.random.Uint64() & x.random.Uint64()
	case 2:
		v &= 3
	case 3:
		v = 0
	}
	if x.small && width > 8 {
		v &= 1
	}
	return v & (1<<width - 1)
}

// put writes bits into a vector of zeros.
func put(v []uint32, at, n int, bits uint64) {
	for n > 0 {
		k := min(n, 32-at%32)
		v[at/32] |= uint32(bits&(1<<k-1)) << (at % 32)
		bits, at, n = bits>>k, at+k, n-k
	}
}

// get reads bits of a vector.
func get(v []uint32, at, n int) (bits uint64) {
	for have := 0; have < n; {
		k := min(n-have, 32-at%32)
		bits |= uint64(v[at/32]>>(at%32)&(1<<k-1)) << have
		at, have = at+k, have+k
	}
	return bits
}

// next reads the outputs of a cycle.
func next(r *bufio.Reader, n int, sim Simulator) ([]uint32, error) {
	v := make([]uint32, n)
	if sim != Icarus {
		raw := make([]byte, 4*n)
		if _, err := io.ReadFull(r, raw); err != nil {
			return nil, err
		}
		for i := range v {
			v[i] = binary.LittleEndian.Uint32(raw[4*i:])
		}
		return v, nil
	}
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	line = bytes.TrimSpace(line)
	for i := range v {
		if _, err := fmt.Sscanf(string(line[len(line)-8*i-8:len(line)-8*i]), "%x", &v[i]); err != nil {
			return nil, fmt.Errorf("an output is unknown: %s", line)
		}
	}
	return v, nil
}

// check compares the outputs of a cycle.
func (x *comparison) check(cycle int, want []uint64, got []uint32) error {
	at, k := 0, 0
	for _, u := range x.units {
		for _, p := range u.text.Outputs {
			for e := range p.Index {
				if g := get(got, at, p.Width); g != want[k] {
					return fmt.Errorf("%s: cycle %d: output %s, element %d: the Verilog has %#x, the model %#x", u.name,
						cycle, p.Name, e, g, want[k])
				}
				at += p.Width
				k++
			}
		}
	}
	return nil
}
