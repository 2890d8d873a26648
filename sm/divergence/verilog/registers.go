package verilog

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"divergo/rtl"
)

// node is an element of Verilator's XML (--xml-only).
type node struct {
	XMLName  xml.Name
	Name     string `xml:"name,attr"`
	ID       string `xml:"id,attr"`
	Type     string `xml:"dtype_id,attr"`
	Sub      string `xml:"sub_dtype_id,attr"`
	Module   string `xml:"submodname,attr"`
	Hier     string `xml:"hier,attr"`
	Left     string `xml:"left,attr"`
	Right    string `xml:"right,attr"`
	Children []node `xml:",any"`
}

// each calls f with the node and all below it.
func (n *node) each(f func(*node)) {
	f(n)
	for i := range n.Children {
		n.Children[i].each(f)
	}
}

// registers lists what the unit assigns with `<=`, from Verilator's XML: path, entries and bits of each
// register or memory.
func registers(text []byte) (list []rtl.Storage, err error) {
	var root node
	if err := xml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	types, paths := map[string]*node{}, map[string][]string{} // by id; of instances, by module
	root.each(func(n *node) {
		switch tag := n.XMLName.Local; {
		case strings.HasSuffix(tag, "dtype"):
			types[n.ID] = n
		case tag == "cell" && n.Hier != "":
			paths[n.Module] = append(paths[n.Module], n.Hier)
		}
	})
	root.each(func(m *node) {
		if m.XMLName.Local != "module" {
			return
		}
		written := map[string]bool{}
		m.each(func(n *node) {
			if n.XMLName.Local != "assigndly" || len(n.Children) == 0 {
				return
			}
			found := false
			n.Children[len(n.Children)-1].each(func(x *node) { // the first variable is the one written
				if x.XMLName.Local == "varref" && !found {
					found, written[x.Name] = true, true
				}
			})
		})
		for i := range m.Children {
			v := &m.Children[i]
			if v.XMLName.Local != "var" || !written[v.Name] {
				continue
			}
			words, bits := size(types, v.Type)
			for _, at := range paths[m.Name] {
				list = append(list, rtl.Storage{Path: at + "." + v.Name, Words: words, Fields: []rtl.Field{{Bits: bits}}})
			}
		}
	})
	slices.SortFunc(list, func(a, b rtl.Storage) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// size returns the entries of a type and the bits of an entry.
func size(types map[string]*node, id string) (words, bits int) {
	t := types[id]
	if t == nil {
		return 1, 0
	}
	switch t.XMLName.Local {
	case "basicdtype":
		if t.Left == "" {
			return 1, 1
		}
		return 1, span(t.Left, t.Right)
	case "packarraydtype", "unpackarraydtype":
		n, ends := 1, []string{}
		t.each(func(x *node) {
			if x.XMLName.Local == "const" {
				ends = append(ends, x.Name)
			}
		})
		if len(ends) == 2 {
			n = span(constant(ends[0]), constant(ends[1]))
		}
		if words, bits = size(types, t.Sub); t.XMLName.Local == "packarraydtype" {
			return words, bits * n
		}
		return words * n, bits
	case "structdtype":
		for i := range t.Children {
			_, b := size(types, t.Children[i].Sub)
			bits += b
		}
		return 1, bits
	}
	return size(types, t.Sub) // a name for another type
}

func span(left, right string) int {
	l, _ := strconv.Atoi(left)
	r, _ := strconv.Atoi(right)
	return max(l-r, r-l) + 1
}

// constant reads a number such as 32'sh3f.
func constant(text string) string {
	_, digits, _ := strings.Cut(text, "'")
	n, _ := strconv.ParseInt(strings.TrimLeft(digits, "sh"), 16, 64)
	return fmt.Sprint(n)
}
