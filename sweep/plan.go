package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"divergo/gpu"
)

// Names lists the axes that are no keys of the machine, in the order of the documentation.
var Names = []string{"preset", "config", "mechanism", "lanes", "kernel", "herd", "seed"}

// Axis is what varies in a plan, or has one value in all points.
type Axis struct {
	Name   string // a key of the machine, such as "sm.warp_size", or one of Names
	Values []any  // each an int64, a bool or a string, as the plan has it
}

// Point is one combination of values.
type Point struct {
	Index  int   // in plan order, from 0
	Values []any // of Plan.Axes, in their order
}

// Plan is a checked plan file. It does not change after Read, and several goroutines can use it.
type Plan struct {
	File  string   // name of the plan file
	Axes  []Axis   // those that vary, in the order of the file
	Fixed []Axis   // those with one value, in the order of the file
	Slurm []string // options of sbatch, as the plan has them: "--account=ours"

	maxCycles uint64
	axes      []axis   // the varying ones in the order of Axes, and the fixed ones
	factors   []factor // the first one varies slowest
	points    []uint32 // combinations that where has left, by point
	subjects  []*subject
	bases     map[base]gpu.Config
	machineOf []uint32   // machine by point
	digests   [][32]byte // of the resolved configuration, by machine

	used  map[string]bool // mechanisms, and sections of keys of blocks that a machine of the plan has
	build string
}

// axis is an axis while it is read, and what each of its values means.
type axis struct {
	name   string
	key    string // key of the machine that it sets; "" for the others
	at     int    // offset of the name in the text
	values []value
	fixed  bool
	herds  []herd // of the axis herd, by value
}

// factor is one or several axes that advance together.
type factor struct {
	axes  []int // in Plan.axes
	steps int
	zip   bool
	at    int // offset of [[zip]]
}

// Len returns the number of points.
func (p *Plan) Len() int { return len(p.points) }

// Point returns a point. Indices count from 0 to Len()-1.
func (p *Plan) Point(i int) Point {
	steps := p.steps(i)
	point := Point{Index: i, Values: make([]any, len(p.Axes))}
	for j := range p.Axes {
		point.Values[j] = p.Axes[j].Values[steps[j]]
	}
	return point
}

// steps returns the index of the value of each axis in a point, in the order of Plan.axes.
func (p *Plan) steps(i int) []int { return p.combination(p.points[i]) }

// combination returns the same for a combination, which where may leave out.
func (p *Plan) combination(n uint32) []int {
	steps := make([]int, len(p.axes))
	for f := len(p.factors) - 1; f >= 0; f-- {
		of := &p.factors[f]
		for _, a := range of.axes {
			steps[a] = int(n) % of.steps
		}
		n /= uint32(of.steps)
	}
	return steps
}

// find returns the axis of a name, or of the key that it sets; -1 if there is none.
func (p *Plan) find(name string) int {
	for i := range p.axes {
		if p.axes[i].name == name || p.axes[i].key == name {
			return i
		}
	}
	return -1
}

// word returns the value of an axis in a point, "" if the plan does not have it.
func (p *Plan) word(steps []int, name string) string {
	at := p.find(name)
	if at < 0 {
		return ""
	}
	return p.axes[at].values[steps[at]].v.(string)
}

// subject returns the kernel of a point.
func (p *Plan) subject(steps []int) *subject { return p.subjects[steps[p.find("kernel")]] }

// seed returns the seed of a point.
func (p *Plan) seed(steps []int) uint64 {
	if at := p.find("seed"); at >= 0 {
		return uint64(p.axes[at].values[steps[at]].v.(int64))
	}
	return p.subject(steps).seed
}

// Kernel returns the kernel of a point as the plan names it: "bitonic medium", "launch.json" or
// "bfs.cu 1024".
func (p *Plan) Kernel(i int) string { return p.subject(p.steps(i)).text }

// Config returns the machine of a point.
func (p *Plan) Config(i int) gpu.Config { return p.config(p.steps(i)) }

// base is where the machine of a point starts: a preset, and files with keys.
type base struct {
	preset string
	launch string // launch file that names keys of the machine
	config string
}

// base returns where the machine of a combination starts.
func (p *Plan) base(steps []int) base {
	s := p.subject(steps)
	b := base{preset: p.word(steps, "preset"), config: p.word(steps, "config"), launch: s.machine}
	if b.preset == "" {
		b.preset = s.preset
	}
	return b
}

// config returns the machine of a combination. Later sources override earlier ones: the preset, the
// launch file's keys, config, then the keys of the plan.
func (p *Plan) config(steps []int) gpu.Config {
	c := p.bases[p.base(steps)]
	if m := p.subject(steps).mechanism; m != "" {
		c.Divergence.Mechanism = m
	}
	for i := range p.axes {
		if a := &p.axes[i]; a.key != "" {
			_ = c.Set(a.key + "=" + text(a.values[steps[i]].v)) // Read has tried it
		}
	}
	return c
}

// text returns a value as a command line has it.
func text(v any) string { return fmt.Sprint(v) }

// Command returns the command line that runs a point by itself, beginning with "divergo". It is to
// be given in the folder of the plan.
func (p *Plan) Command(i int) string {
	steps := p.steps(i)
	s := p.subject(steps)
	words := append([]string{"divergo"}, s.verb...)
	flag := func(name, value string) { words = append(words, "--"+name, quoted(value)) }
	for i := range p.axes {
		a := &p.axes[i]
		switch v := text(a.values[steps[i]].v); {
		case a.name == "kernel":
		case a.name == "mechanism":
			flag("mech", v)
		case a.name == "herd":
			if v != "" {
				flag("herd", v)
			}
		case a.name == "lanes" || a.key == "":
			if a.name != "seed" || s.seeded {
				flag(a.name, v)
			}
		default:
			flag("set", a.key+"="+v)
		}
	}
	if p.maxCycles > 0 {
		flag("max-cycles", fmt.Sprint(p.maxCycles))
	}
	for _, w := range s.last {
		words = append(words, quoted(w))
	}
	return strings.Join(words, " ")
}

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	plain := strings.IndexFunc(word, func(r rune) bool {
		return !strings.ContainsRune("=.,:/_-+@%", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
	if plain && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Key names the result of a point: a hash of everything that the result depends on.
type Key [32]byte

// String returns the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Key returns the key of a point: the build of divergo, the text of the kernel, the resolved
// machine, the arguments and the seed.
func (p *Plan) Key(i int) Key {
	steps := p.steps(i)
	s, machine := p.subject(steps), p.machineOf[i]
	h := sha256.New()
	fmt.Fprintf(h, "divergo.sweep.v1 %q %x %x %d %d", p.build, s.digest, p.digests[machine], p.seed(steps), p.maxCycles)
	if at := p.find("herd"); at >= 0 {
		fmt.Fprintf(h, " %x", p.axes[at].herds[steps[at]].digest)
	}
	return Key(h.Sum(nil))
}

// Shard returns the points of shard number of all, which count from 1: every all-th point. Its
// error says why there is no such shard.
func (p *Plan) Shard(number, all int) ([]int, error) {
	if number < 1 || number > all {
		return nil, fmt.Errorf("shard %d/%d: want I/N with I from 1 to N", number, all)
	}
	var points []int
	for i := number - 1; i < p.Len(); i += all {
		points = append(points, i)
	}
	return points, nil
}

// path returns the path of a file that the plan names, relative to the plan's folder.
func (p *Plan) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(p.File), filepath.FromSlash(name))
}
