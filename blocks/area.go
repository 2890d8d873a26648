package blocks

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/nearest"
	"divergo/internal/output"
)

// Process is a library of standard cells that Debian has: those of Oklahoma State University, in
// the packages qflow-tech-*.
type Process struct {
	Name    string
	Nm      int // feature size in nanometres
	Liberty string
}

// Processes lists the processes.
func Processes() []Process {
	const folder = "/usr/share/qflow/tech/"
	return []Process{
		{"osu018", 180, folder + "osu018/osu018_stdcells.lib"},
		{"osu035", 350, folder + "osu035/osu035_stdcells.lib"},
		{"osu050", 500, folder + "osu050/osu05_stdcells.lib"},
	}
}

// FindProcess returns the process of a name.
func FindProcess(name string) (Process, error) {
	var names []string
	for _, p := range Processes() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Process{}, nearest.Unknown("process", name, names)
}

// Area is the result of a synthesis.
type Area struct {
	Cells     int     // standard cells, with the flip-flops
	FlipFlops int     // of the registers
	Memory    int     // bits of memories, which have no cells here
	Um2       float64 // area of the cells
	Equal     float64 // the same, in NAND gates of two inputs of the library
	Gates     float64 // of them, those that are not flip-flops
	Ps        float64 // longest path through gates, without set-up and clock-to-output times
}

// cell returns the area of a cell of the library, in um2.
func (p *Process) cell(name string) (um2 float64, err error) {
	text, err := os.ReadFile(p.Liberty)
	if err != nil {
		return 0, fmt.Errorf("found no cells of %s; install them: apt-get install qflow-tech-%[1]s", p.Name)
	}
	m := regexp.MustCompile(`cell \(` + name + `\) \{\s*area : ([0-9.]+)`).FindSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%s: has no area of cell %s", p.Liberty, name)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}

// Area synthesizes the block with yosys and maps it to cells with ABC.
func (b *Block) Area(s Sizes, p Process) (Area, error) {
	text, err := b.Print(s)
	if err != nil {
		return Area{}, err
	}
	if err := Needs("yosys", "berkeley-abc"); err != nil {
		return Area{}, err
	}
	nand, err := p.cell("NAND2X1")
	if err != nil {
		return Area{}, err
	}
	flipFlop, err := p.cell("DFFPOSX1")
	if err != nil {
		return Area{}, err
	}
	folder, err := output.TempFolder()
	if err != nil {
		return Area{}, err
	}
	defer folder.Remove()
	if err := folder.WriteFile(folder.Path("block.v"), []byte(text.Verilog)); err != nil {
		return Area{}, err
	}
	script := "read_verilog block.v; hierarchy -top " + text.Name + "; proc; flatten; opt; wreduce; alumacc; share; opt; " +
		"memory -nomap; opt -full; techmap; opt; dfflegalize -cell $_DFF_P_ x; opt; dfflibmap -liberty " + p.Liberty + "; " +
		"abc -liberty " + p.Liberty +
		" -script +strash;ifraig;scorr;dc2;dch,-f;map;topo;buffer;upsize;dnsize;stime,-p; " +
		"opt_clean; stat -liberty " + p.Liberty
	said, err := run(folder, "yosys", "-p", script)
	if err != nil {
		return Area{}, err
	}
	a := Area{Memory: text.Memory}
	at := strings.LastIndex(said, "Number of cells:")
	if at < 0 {
		return a, fmt.Errorf("area of %s: yosys printed no statistics", b.Name)
	}
	for _, m := range cellLine.FindAllStringSubmatch(said[at:], -1) {
		n, _ := strconv.Atoi(m[2])
		if strings.HasPrefix(m[1], "$") {
			continue // a memory
		}
		a.Cells += n
		if slices.ContainsFunc([]string{"DFF", "LATCH"}, func(s string) bool { return strings.HasPrefix(m[1], s) }) {
			a.FlipFlops += n
		}
	}
	if m := areaLine.FindStringSubmatch(said); m != nil {
		a.Um2, _ = strconv.ParseFloat(m[1], 64)
	}
	a.Equal = a.Um2 / nand
	a.Gates = (a.Um2 - float64(a.FlipFlops)*flipFlop) / nand
	for _, m := range delayLine.FindAllStringSubmatch(said, -1) {
		ps, _ := strconv.ParseFloat(m[1], 64)
		a.Ps = max(a.Ps, ps)
	}
	return a, nil
}

var (
	cellLine  = regexp.MustCompile(`(?m)^ {5}(\S+) +(\d+)$`)
	areaLine  = regexp.MustCompile(`Chip area for (?:top )?module '[^']*': ([0-9.]+)`)
	delayLine = regexp.MustCompile(`Delay *= *([0-9.]+) ps`)
)
