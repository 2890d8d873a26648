package gpucheck

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"divergo/isa"
	"divergo/properties/draw"
	"divergo/sm"
)

// header is that of PTX for an H200.
const header = ".version 8.6\n.target sm_90\n.address_size 64\n"

// onGPU are the features of kernels that a GPU runs as the golden model does. ptxas takes calls of recursive
// functions only if each has registers of its own, and that of a random kernel has not. The results of the
// others are those of divergo alone, or not memory.
const onGPU = draw.AllFeatures &^ (draw.Calls | draw.Pointers | draw.Recursions | draw.Parameters | draw.Counts |
	draw.Herds | draw.Edges | draw.Textures)

// mostBytes limits the buffers of a kernel. Few have more.
const mostBytes = 1 << 17

// Kernel makes the case of a random kernel. Without one, it says why the kernel cannot run on a GPU.
func Kernel(seed uint64) (c *Case, why string) {
	drawn := draw.New(seed, onGPU)
	drawn.Host = 0 // run.cu writes nothing between launches
	if drawn.Machine.SM.WarpSize != isa.RowLanes {
		drawn = drawn.On(draw.Plain(isa.RowLanes))
	}
	drawn.Machine.SM.AbsentLane = sm.AbsentZero
	k, err := drawn.Compile()
	if err == nil {
		k, err = k.For("barrier") // the threads of a warp are as independent as on a GPU from Volta on
	}
	if err != nil {
		return nil, err.Error()
	}
	c = &Case{
		Number: uint32(seed), Prog: k.Prog, Grid: k.Grid, Block: k.Block, Shared: k.SharedBytes, Launches: 1 + k.Again,
		Machine: k.Machine,
	}
	size := uint64(0)
	for _, a := range k.Args {
		size += a.Bytes
		c.Buffers = append(c.Buffers, Buffer{Before: append(a.Data, make([]byte, a.Bytes-uint64(len(a.Data)))...)})
	}
	if size > mostBytes {
		return nil, "large buffers"
	}
	c.Text, why = defined(k.Text, k.SharedBytes)
	return c, why
}

var (
	opening   = regexp.MustCompile(`(?s)\.version .*?\.address_size 64\n`)
	barriers  = regexp.MustCompile(`\bbar\.(sync|arrive|red)`)
	registers = regexp.MustCompile(`^\t?\.reg \.(\w+) (.*);$`)
	several   = regexp.MustCompile(`^(%\w+)<(\d+)>$`)
	variables = regexp.MustCompile(`^\t?(?:\.extern )?\.(shared|local) (?:\.align \d+ )?\.b8 (\w+)\[(\d*)\];$`)
	body      = regexp.MustCompile(`^\t[^.]`)
)

// open are instructions whose result the manual leaves open, or bounds, for some operands, and what the H200
// or its compiler does not have.
var open = []struct {
	why  string
	what *regexp.Regexp
}{
	{"an address as a value", regexp.MustCompile(`ld\.param\.(?:[^u]|u[^6]|u64 %r)|ld\.param.*\+`)},
	{"an approximate function", regexp.MustCompile(`\.(?:approx|full)\.`)},
	{"a carry without an instruction that sets it", regexp.MustCompile(`(?:addc|subc|madc)\S* %[a-z]+[0-9]+_`)},
	{"a count above 255", regexp.MustCompile(`bf[ie]\S* %[a-z]+[0-9]+_`)},
	{"a place above 31", regexp.MustCompile(`fns\S* %[a-z]+[0-9]+_`)},
	{"a video instruction that the compiler replaces", regexp.MustCompile(
		`(?:vshl|vshr|vmad|vmin|vmax|vset)\.\S* %|(?:vadd|vsub|vabsdiff)\.\S*(?:sat|min|max)`)},
	{"the place of shared memory", regexp.MustCompile(`isspacep`)},
	{"a register of 8 bits", regexp.MustCompile(`\.reg \.[us]8 `)},
	{"two f32 in a register", regexp.MustCompile(`\.f32x2 `)},
}

// defined returns the text of a kernel for a GPU, where its registers and memory begin with zeros as they do
// on a machine of divergo. It lets the threads of a warp reach a barrier one by one, which the aligned form
// does not. Otherwise it says what is open.
func defined(text string, shared uint32) (hard, why string) {
	for _, o := range open {
		if o.what.MatchString(text) {
			return "", o.why
		}
	}
	text = opening.ReplaceAllString(text, header)
	text = barriers.ReplaceAllString(text, "barrier.$1")
	lines := strings.Split(text, "\n")
	at := 0 // the first instruction
	var zeros []string
	say := func(format string, args ...any) { zeros = append(zeros, fmt.Sprintf("\t"+format, args...)) }
	say(".reg .u32 %%at32, %%zero32;")
	say(".reg .pred %%more;")
	meet := false
	for ; !body.MatchString(lines[at]); at++ {
		if v := variables.FindStringSubmatch(lines[at]); v != nil {
			size := v[3]
			if size == "" {
				size = fmt.Sprint(shared)
			}
			say("mov.u32 %%zero32, 0;")
			say("mov.u32 %%at32, %s;", v[2])
			zeros = append(zeros, "zero_"+v[2]+":")
			say("st.%s.u8 [%%at32], 0;", v[1])
			say("add.u32 %%at32, %%at32, 1;")
			say("add.u32 %%zero32, %%zero32, 1;")
			say("setp.lt.u32 %%more, %%zero32, %s;", size)
			say("@%%more bra zero_%s;", v[2])
			meet = meet || v[1] == "shared"
		}
		if r := registers.FindStringSubmatch(lines[at]); r != nil {
			for _, name := range strings.Split(r[2], ", ") {
				for _, one := range names(name) {
					switch r[1] {
					case "pred":
						say("setp.ne.u32 %s, 0, 0;", one)
					case "f32":
						say("mov.f32 %s, 0f00000000;", one)
					case "f64":
						say("mov.f64 %s, 0d0000000000000000;", one)
					case "f16x2":
						say("mov.b32 %s, 0;", one)
					default:
						say("mov.b%s %s, 0;", strings.TrimLeft(r[1], "bufs"), one)
					}
				}
			}
		}
	}
	if meet {
		say("barrier.sync 0;")
	}
	return strings.Join(append(append(lines[:at:at], zeros...), lines[at:]...), "\n"), ""
}

// names are the registers that a name in a declaration stands for.
func names(declared string) (list []string) {
	m := several.FindStringSubmatch(declared)
	if m == nil {
		return []string{declared}
	}
	n, _ := strconv.Atoi(m[2])
	for i := range n {
		list = append(list, m[1]+strconv.Itoa(i))
	}
	return list
}
