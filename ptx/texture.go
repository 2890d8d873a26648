package ptx

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"text/template"

	"divergo/isa"
)

// Textures and surfaces (sections 9.7.9 and 9.7.10). An instruction becomes loads and arithmetic,
// written as PTX in texture.tmpl. Texels are read by ld.global.nc, for the texture cache. The first
// of them is the instruction, the others are inserted. The form of the program for a texture unit
// keeps tex and tld4, and has an instruction for the address of a surface: see isa.Program.Textured.
// A handle is the address of a description (cuda/include/divergo/texture.h). A .texref, .samplerref or
// .surfref is room for one.

// fetch is an instruction in the form that the template reads.
type fetch struct {
	form                  string // template
	geometry              string
	Data, Coord           string // types
	Mip                   string // level, grad or none
	Query                 string
	Mode                  string // outside of a surface: trap, clamp or zero
	Cache, Vector, Atom   string
	Formatted, Gather     bool
	Component             int
	Sampler, Resident     bool
	Unit                  bool      // of a surface: %at and %v are the results of a texture unit
	Handle, SamplerHandle string    // the instruction that loads it, up to its destination
	Results               []fetched // the values read or, by sust, written
	Variables             []string  // addresses of the references for which istypep is true
	dims                  int
}

// fetched is an element of a result: the registers of a pair of halves, and the instruction that
// moves it to its destination.
type fetched struct {
	Low, High int
	Move      string
}

var geometries = map[string]int{"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 2, "acube": 2}

// Layered: the first coordinate is a layer. Cube: the coordinates are a direction.
func (f *fetch) Layered() bool { return f.geometry[0] == 'a' }
func (f *fetch) Cube() bool    { return strings.HasSuffix(f.geometry, "cube") }

// Layers: texels have a layer. Planes: they have a third coordinate or a layer. Rows: they have a
// second coordinate.
func (f *fetch) Layers() bool { return f.Layered() || f.Cube() }
func (f *fetch) Planes() bool { return f.dims == 3 || f.Layers() }
func (f *fetch) Rows() bool   { return f.dims > 1 }

// Whole: coordinates are integers. Float: the results are floats. Filters: they can be
// interpolated. Two: a coordinate has two texels.
func (f *fetch) Whole() bool   { return f.Coord == "s32" }
func (f *fetch) Float() bool   { return f.Data[0] == 'f' }
func (f *fetch) Filters() bool { return f.Float() && !f.Gather }
func (f *fetch) Two() bool     { return f.Float() || f.Gather }

// S is the register with the address of the sampler.
func (f *fetch) S() string {
	if f.Sampler {
		return "%s"
	}
	return "%t"
}

// Loads reports whether a handle is a parameter, which the instruction loads.
func (f *fetch) Loads(handle string) bool { return strings.HasPrefix(handle, "ld") }

func count(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// Axes number the dimensions, Coordinates their operands, Channels those of a texel.
func (f *fetch) Axes() []int { return count(f.dims) }

func (f *fetch) Coordinates() []int {
	if f.Cube() {
		return count(3)
	}
	return count(f.dims)
}
func (f *fetch) Channels() []int { return count(4) }

// axis is one of the dimensions.
type axis struct {
	*fetch
	N int
}

func (f *fetch) Axis(n int) axis { return axis{f, n} }

// Ends are the registers with the indices of texels along the axis.
func (a axis) Ends() []string {
	ends := []string{fmt.Sprintf("%%first%d", a.N)}
	if a.Two() {
		ends = append(ends, fmt.Sprintf("%%second%d", a.N))
	}
	return ends
}

// Narrow is the type of a channel of the given number of bits.
func (f *fetch) Narrow(bits int) string {
	if f.Data == "s32" {
		return fmt.Sprint("s", bits)
	}
	return fmt.Sprint("u", bits)
}

// Bytes is the size of an access to a surface.
func (f *fetch) Bytes() int { return typeNames[f.Data].Bytes() * len(f.Results) }

// Word is the type of the registers that hold a result; Held is one of the registers.
func (f *fetch) Word() string {
	if f.Data == "b64" {
		return "b64"
	}
	return "b32"
}

func (f *fetch) Held(i int) string {
	if f.Data == "b64" {
		return fmt.Sprintf("%%d%d", i)
	}
	return fmt.Sprintf("%%r%d", i)
}

// HeldAll and SourceAll are operands: all of these registers, and all stored operands.
func (f *fetch) HeldAll() string { return f.all(f.Held) }

func (f *fetch) SourceAll() string { return f.all(func(i int) string { return fmt.Sprint("$d", i) }) }

func (f *fetch) all(name func(int) string) string {
	var list []string
	for i := range f.Results {
		list = append(list, name(i))
	}
	if f.Vector == "" {
		return list[0]
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// members are the members of the description that a query reads, with their offsets.
var members = map[string]int{
	"width": 20, "height": 24, "depth": 28, "array_size": 28, "channel_data_type": 100, "channel_order": 36,
	"num_mipmap_levels": 80,
	"normalized_coords": 44, "force_unnormalized_coords": 44, "filter_mode": 48, "addr_mode_0": 52, "addr_mode_1": 56,
	"addr_mode_2": 60, "num_samples": 0,
}

// Member is the offset of the queried member. AddressMode: it is the mode of an axis.
func (f *fetch) Member() int       { return members[f.Query] }
func (f *fetch) AddressMode() bool { return strings.HasPrefix(f.Query, "addr_mode_") }

//go:embed texture.tmpl
var textureText string

var textureTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("texture").Funcs(template.FuncMap{
		"size": func(axis int) int { return 20 + 4*axis },
		"mode": func(axis int) int { return 52 + 4*axis },
		"bit":  func(axis int) int { return 1 << axis },
		"held": func(axis int) string { return [...]string{"%row", "%plane", "%box"}[axis] },
	}).Parse(textureText))
})

// hiddenPrefix starts the names of the registers of the template.
const hiddenPrefix = "%__"

// expansions are the parsed blocks of the template, by their text.
var expansions sync.Map

// expansion is the template of f as a block.
func (f *fetch) expansion() *block {
	var text strings.Builder
	if err := textureTemplate().ExecuteTemplate(&text, f.form, f); err != nil {
		panic(err)
	}
	if b, ok := expansions.Load(text.String()); ok {
		return b.(*block)
	}
	b := inlined(text.String())
	expansions.Store(text.String(), b)
	return b
}

// inlined parses statements of the template.
func inlined(text string) *block {
	r := &reporter{file: "texture.tmpl", src: "{" + strings.ReplaceAll(text, "%", hiddenPrefix) + "}"}
	p := &parser{lexer: newLexer(r), m: &Module{}}
	p.next()
	b := p.body()
	if err := r.err(); err != nil {
		panic(err)
	}
	return b
}

var textureRegisters = sync.OnceValue(func() *block { return (&fetch{form: "registers"}).expansion() })

// worded is a group of modifiers whose words set a field of the fetch.
func worded(what, list string, set func(f *fetch, word string)) group {
	g := group{what: what, need: true}
	for _, w := range strings.Fields(list) {
		g.words = append(g.words, modifier{w, func(m *match) { set(&m.fetch, w) }})
	}
	return g
}

func optional(g group) group {
	g.need = false
	return g
}

var (
	setGeometry = func(f *fetch, w string) { f.geometry, f.dims = w, geometries[w] }
	geometry    = worded("geometry", "1d 2d 3d a1d a2d cube acube", setGeometry)
	planes      = worded("geometry", "1d 2d 3d a1d a2d", setGeometry)
	fourTexels  = worded("geometry", "2d a2d cube acube", setGeometry)
	mipmaps     = optional(worded("choice of a level", "base level grad",
		func(f *fetch, w string) { f.Mip = strings.TrimPrefix(w, "base") }))
	component = worded("component", "r g b a",
		func(f *fetch, w string) { f.Gather, f.Component = true, strings.Index("rgba", w) })
	bounds      = worded("mode", "trap clamp zero", func(f *fetch, w string) { f.Mode = w })
	unformed    = worded("kind of access", "b", func(*fetch, string) {})
	formatted   = worded("kind of access", "p", func(f *fetch, _ string) { f.Formatted = true })
	surfaceLoad = optional(worded("cache operator", "ca cg cs cv", func(f *fetch, w string) { f.Cache = "." + w }))
	surfaceKeep = optional(worded("cache operator", "wb cg cs wt", func(f *fetch, w string) { f.Cache = "." + w }))
	reductions  = worded("operation", "add min max and or", func(f *fetch, w string) { f.Atom = w })
	opaqueTypes = worded("type", "texref samplerref surfref", func(f *fetch, w string) { f.Query = w })
	oneLevel    = optional(worded("choice of a level", "level", func(f *fetch, w string) { f.Mip = w }))
	ofTexture   = worded("query", "width height depth channel_data_type channel_order normalized_coords force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 array_size num_mipmap_levels num_samples", setQuery)
	ofSurface   = worded("query", "width height depth channel_data_type channel_order array_size", setQuery)
	four        = required(only("v4", elements))
	two         = required(only("v2", elements))
)

func setQuery(f *fetch, w string) { f.Query = w }

// textures are the rows of the table. They have operand lists of their own.
var textures = func() []*family {
	f16, f16x2 := typesOf(isa.F16), typesOf(isa.F16x2)
	coordinates := f32 | s32
	list := []*family{
		row("tex", "9.7.9.3", isa.OpLd, "", types(int32s|f32|f16, coordinates), geometry, four, mipmaps),
		row("tex", "9.7.9.3", isa.OpLd, "", types(f16x2, coordinates), geometry, two, mipmaps),
		row("tld4", "9.7.9.4", isa.OpLd, "", types(int32s|f32|f16, f32), component, fourTexels, four),
		row("txq", "9.7.9.5", isa.OpLd, "", types(b32), ofTexture, oneLevel),
		row("istypep", "9.7.9.6", isa.OpSetp, "", none, opaqueTypes),
		row("suld", "9.7.10.1", isa.OpLd, "", types(b16to64|typesOf(isa.B8)), unformed, planes, surfaceLoad, elements,
			bounds).where(checkVector),
		row("sust", "9.7.10.2", isa.OpSt, "", types(b16to64|typesOf(isa.B8)), unformed, planes, surfaceKeep, elements,
			bounds).where(checkVector),
		row("sust", "9.7.10.2", isa.OpSt, "", types(b32|int32s|f32), formatted, planes, elements, bounds),
		row("sured", "9.7.10.3", isa.OpRed, "", types(int32s|b32|int64s), unformed, planes, reductions,
			bounds).where(checkReduction),
		row("suq", "9.7.10.4", isa.OpLd, "", types(b32), ofSurface),
	}
	for _, f := range list {
		f.fetches = true
	}
	return list
}()

// checkReduction checks the type of a sured, by red's rules for its operation.
func checkReduction(m *match) string {
	bits := m.fetch.Atom == "and" || m.fetch.Atom == "or"
	if bits != (m.types[0] == isa.B32) || m.types[0] == isa.S64 && m.fetch.Atom == "add" {
		return fmt.Sprintf(".%s does not go with .%s", m.fetch.Atom, typeName(m.types[0]))
	}
	return ""
}

// fetches reports whether an opcode is one of the textures' rows.
func fetches(name string) bool {
	rows := families[name]
	return len(rows) > 0 && rows[0].fetches
}

// fetchOperands parses the operands. Some stand together in brackets, which old compilers leave
// out.
func (p *parser) fetchOperands(in *instruction) bool {
	for {
		x := operand{kind: addressOperand, pos: p.tok.pos}
		if p.accept('[') {
			for {
				e, ok := p.operand()
				if !ok {
					return false
				}
				if x.elems = append(x.elems, e); !p.accept(',') {
					break
				}
			}
			if !p.expect(']', "to close the texture or surface and its coordinates") {
				return false
			}
		} else {
			var ok bool
			if x, ok = p.operand(); !ok {
				return false
			}
			if p.accept('|') {
				q, ok := p.ident("the second destination")
				if x.pair = &q; !ok {
					return false
				}
			}
		}
		if in.operands = append(in.operands, x); len(in.operands) > 8 || len(x.elems) > 4 {
			p.errorf(p.tok.pos, CodeOperand, "too many operands")
			return false
		}
		if !p.accept(',') {
			return true
		}
	}
}

// addressModes are the values of enum cudaTextureAddressMode.
var addressModes = map[string]uint32{"wrap": 0, "clamp_to_edge": 1, "mirror": 2, "clamp_to_border": 3}

// described parses the initial values of a reference (section 5.3.2), such as { addr_mode_0 = wrap,
// filter_mode = linear }. A .texref without them is clamped, as the manual of
// cuTexRefSetAddressMode says. A sampler without them takes the texture's kind of coordinates. Our
// reading: it wraps. Both read the nearest texel.
func (p *parser) described(v *variable) bool {
	set := func(at int, value uint32) {
		v.init = append(v.init, make([]byte, opaqueBytes-len(v.init))...)
		binary.LittleEndian.PutUint32(v.init[at:], value)
	}
	sampler := v.words == "samplerref"
	switch v.words {
	case "samplerref":
		set(members["normalized_coords"], 1)
	case "texref":
		for axis := range 3 {
			set(members["addr_mode_0"]+4*axis, addressModes["clamp_to_edge"])
		}
	}
	if p.tok.kind != '=' {
		return true
	}
	p.next()
	if !p.expect('{', "before the initial values of a ."+v.words) {
		return false
	}
	for p.tok.kind != '}' {
		name, ok := p.ident("the name of a member")
		if !ok || !p.expect('=', "behind the name of a member") {
			return false
		}
		at, known := members[name.text]
		switch mode, isMode := addressModes[p.tok.text]; {
		case strings.HasPrefix(name.text, "addr_mode_") && known && isMode:
			set(at, mode)
		case name.text == "filter_mode" && (p.tok.text == "nearest" || p.tok.text == "linear"):
			set(at, map[string]uint32{"nearest": 0, "linear": 1}[p.tok.text])
		case name.text == "normalized_coords" && !sampler && (p.tok.text == "0" || p.tok.text == "1"):
			set(at, uint32(p.tok.text[0]-'0'))
		case name.text == "force_unnormalized_coords" && sampler && (p.tok.text == "0" || p.tok.text == "1"):
			set(at, uint32('1'-p.tok.text[0]))
		default:
			v.why = fmt.Sprintf("%s = %s is not supported in a .%s: expected addr_mode_0 to addr_mode_2 = wrap, mirror, clamp_to_edge or clamp_to_border, filter_mode = nearest or linear, %s = 0 or 1",
				name.text, p.tok.text, v.words, map[bool]string{
					true:  "force_unnormalized_coords",
					false: "normalized_coords",
				}[sampler])
		}
		if p.next(); !p.accept(',') {
			break
		}
	}
	return p.expect('}', "to close the initial values of a ."+v.words)
}

// skipInitialiser skips to the end of the declaration of an unusable variable.
func (p *parser) skipInitialiser() {
	for p.tok.kind != ';' && p.tok.kind != eof {
		p.next()
	}
}
