package launches

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/nearest"
	"divergo/internal/place"
	"divergo/sm/divergence"
)

// node is a value of a JSON text, with its offset.
type node struct {
	at    int
	value any // string, json.Number, bool, nil, []node or []member
}

// member is a member of an object.
type member struct {
	name string
	at   int
	node
}

// reader reads syntactically valid JSON token by token, which gives the offset of each value.
type reader struct {
	faults
	json    *json.Decoder
	buffers map[string]bool // by name
}

// faults collects the first errors of a launch file.
type faults struct {
	f    *File
	errs []error
	more bool // there are more
}

// maxErrors limits the reported errors.
const maxErrors = 10

// full reports whether further errors would not be reported.
func (l *faults) full() bool { return len(l.errs) >= maxErrors }

// errorf adds an error at an offset of the text.
func (l *faults) errorf(at int, format string, args ...any) {
	if l.full() {
		l.more = true
		return
	}
	l.errs = append(l.errs, l.f.errorf(at, format, args...))
}

// err returns all collected errors.
func (l *faults) err() error {
	if l.more {
		return errors.Join(append(l.errs, fmt.Errorf("%s: too many errors", l.f.shown()))...)
	}
	return errors.Join(l.errs...)
}

// parse reads the text.
func (f *File) parse() error {
	r := &reader{faults: faults{f: f}, json: json.NewDecoder(bytes.NewReader(f.text)), buffers: map[string]bool{}}
	r.json.UseNumber()
	var whole json.RawMessage
	if err := json.Unmarshal(f.text, &whole); err != nil {
		at, why := len(bytes.TrimRight(f.text, " \t\r\n")), "the text ends in the middle of a value"
		if e := (*json.SyntaxError)(nil); errors.As(err, &e) && !strings.HasPrefix(e.Error(), "unexpected end") {
			at, why = int(e.Offset)-1, e.Error()
		}
		r.errorf(at, "no JSON: %s", why)
	} else {
		r.document(r.next())
	}
	return r.err()
}

// errorf returns an error at an offset of the text.
func (f *File) errorf(at int, format string, args ...any) error {
	line, column := place.Of(f.text, at)
	return place.Error(f.shown(), f.text, line, column, fmt.Sprintf(format, args...))
}

// token returns the next token and its offset.
func (r *reader) token() (json.Token, int) {
	at := int(r.json.InputOffset())
	for at < len(r.f.text) && strings.IndexByte(" \t\r\n,:", r.f.text[at]) >= 0 {
		at++
	}
	t, _ := r.json.Token()
	return t, at
}

// next returns the next value.
func (r *reader) next() node {
	t, at := r.token()
	switch t {
	case json.Delim('['):
		list := []node{}
		for r.json.More() {
			list = append(list, r.next())
		}
		r.token()
		return node{at, list}
	case json.Delim('{'):
		list := []member{}
		for r.json.More() {
			name, at := r.token()
			list = append(list, member{name.(string), at, r.next()})
		}
		r.token()
		return node{at, list}
	}
	return node{at, t}
}

// object calls a function for each member of an object. The keys of the functions are the valid
// names.
func (r *reader) object(n node, what string, of map[string]func(node)) {
	list, ok := n.value.([]member)
	if !ok {
		r.errorf(n.at, "want %s, an object", what)
		return
	}
	var known []string
	for name := range of {
		known = append(known, name)
	}
	slices.Sort(known)
	seen := map[string]bool{}
	for _, m := range list {
		switch {
		case of[m.name] == nil:
			r.errorf(m.at, "%s: %s", what, nearest.Unknown("member", m.name, known))
		case seen[m.name]:
			r.errorf(m.at, "%s: %q is there twice", what, m.name)
		default:
			seen[m.name] = true
			of[m.name](m.node)
		}
	}
}

// list calls a function for each element.
func (r *reader) list(n node, what string, of func(node)) {
	list, ok := n.value.([]node)
	if !ok && n.value != nil {
		r.errorf(n.at, "want %s, a list", what)
	}
	for _, e := range list {
		of(e)
	}
}

// text reads a string.
func (r *reader) text(to *string) func(node) {
	return func(n node) {
		s, ok := n.value.(string)
		if !ok {
			r.errorf(n.at, "want a text in quotes")
		}
		*to = s
	}
}

// number reads an integer of at most so many bits.
func (r *reader) number(n node, bits int) uint64 {
	if text, ok := n.value.(json.Number); ok {
		if v, err := strconv.ParseUint(text.String(), 10, bits); err == nil {
			return v
		}
	}
	r.errorf(n.at, "want an integer from 0 to %d", ^uint64(0)>>(64-bits))
	return 0
}

// dim reads one to three sizes; missing ones are 1.
func (r *reader) dim(to *[3]uint32) func(node) {
	return func(n node) {
		list, ok := n.value.([]node)
		if !ok {
			list = []node{n}
		}
		if len(list) < 1 || len(list) > 3 {
			r.errorf(n.at, "want [X], [X, Y] or [X, Y, Z]")
			return
		}
		*to = [3]uint32{1, 1, 1}
		for i, e := range list {
			to[i] = uint32(r.number(e, 32))
		}
	}
}

// document reads the whole file.
func (r *reader) document(n node) {
	f := r.f
	var given string
	old := Entry{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}}
	if list, ok := n.value.([]member); ok {
		for _, m := range list {
			if m.name == "schema" {
				given, _ = m.value.(string)
				if given != schema && given != oldSchema {
					r.errorf(m.node.at, "want %q", schema)
					return
				}
			}
		}
	}
	of := map[string]func(node){
		"schema": func(node) {}, "mechanism": r.mechanism, "checker": r.text(&f.Checker),
		"seed": func(n node) { f.Seed = r.number(n, 64) },
	}
	if given == oldSchema {
		f.Module, f.Machine = ModuleFile, MachineFile
		of["grid"], of["block"], of["args"] = r.dim(&old.Grid), r.dim(&old.Block), r.args(&old)
	} else {
		f.Module = ModuleFile
		of["machine"], of["module"] = r.text(&f.Machine), r.text(&f.Module)
		of["buffers"] = func(n node) { r.list(n, "buffers", r.buffer) }
		of["launches"] = func(n node) { r.list(n, "launches", r.launch) }
	}
	before := len(r.errs)
	r.object(n, "a launch file", of)
	switch {
	case len(r.errs) > before || r.full():
	case given == "":
		r.errorf(n.at, "want a member \"schema\": %q", schema)
	case given == oldSchema:
		old.at, old.kernelAt = n.at, n.at
		f.Launches = []Entry{old}
	case len(f.Launches) == 0:
		r.errorf(n.at, "want a member \"launches\" with at least one")
	}
}

// mechanism reads the name of a mechanism.
func (r *reader) mechanism(n node) {
	r.text(&r.f.Mechanism)(n)
	if r.f.Mechanism == "" {
		return
	}
	if _, err := divergence.Open(r.f.Mechanism); err != nil {
		r.errorf(n.at, "%s", err)
	}
}

// buffer reads a buffer.
func (r *reader) buffer(n node) {
	b, nameAt, before := Buffer{at: n.at}, n.at, len(r.errs)
	r.object(n, "a buffer", map[string]func(node){
		"name": func(n node) { nameAt = n.at; r.text(&b.Name)(n) },
		"init": func(n node) { b.at = n.at; r.text(&b.Init)(n) },
		"seed": func(n node) { v := r.number(n, 64); b.Seed = &v },
	})
	switch {
	case len(r.errs) > before || r.full():
	case b.Name == "" || strings.ContainsAny(b.Name, ":="):
		r.errorf(nameAt, "want a member \"name\", without ':' and '='")
	case r.buffers[b.Name]:
		r.errorf(nameAt, "there is a buffer %q already", b.Name)
	case !strings.HasPrefix(b.Init, "buf:"):
		r.errorf(b.at, "want a member \"init\", for example \"buf:zero:1024\"")
	}
	r.f.Buffers = append(r.f.Buffers, b)
	r.buffers[b.Name] = true
}

// launch reads a launch.
func (r *reader) launch(n node) {
	l := Entry{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, at: n.at, kernelAt: n.at, argsAt: n.at}
	r.object(n, "a launch", map[string]func(node){
		"module": r.text(&l.Module), "kernel": func(n node) { l.kernelAt = n.at; r.text(&l.Kernel)(n) },
		"grid": r.dim(&l.Grid), "block": r.dim(&l.Block),
		"shared": func(n node) { l.Shared = uint32(r.number(n, 32)) }, "args": r.args(&l),
		"writes": func(n node) { r.texts(n, "writes", &l.Writes, &l.writeAt) },
	})
	r.f.Launches = append(r.f.Launches, l)
}

// args reads the arguments of a launch.
func (r *reader) args(l *Entry) func(node) {
	return func(n node) {
		l.argsAt = n.at
		r.texts(n, "arguments", &l.Args, &l.argAt)
	}
}

// texts reads a list of texts, and where each is.
func (r *reader) texts(n node, what string, to *[]string, at *[]int) {
	r.list(n, what, func(n node) {
		var spec string
		r.text(&spec)(n)
		*to, *at = append(*to, spec), append(*at, n.at)
	})
}
