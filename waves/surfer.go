package waves

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"divergo/internal/output"
)

// CommandFile is the name of the command file of Surfer for the dump in the file vcd.
func CommandFile(vcd string) string { return strings.TrimSuffix(vcd, filepath.Ext(vcd)) + ".sucl" }

// saveSurfer writes the files with which Surfer shows the groups of a dump, with names for values:
// the command file, for `surfer --command-file x.sucl x.vcd`, and mappings, which Surfer looks for in
// .surfer/mappings of the folder in which it is started. It leaves out rows of bits, which Surfer
// does not have. (Surfer's user documentation, "Commands" and "Mapping Translators".)
func (d *Dump) saveSurfer(vcd string, groups []arranged) error {
	base := strings.TrimSuffix(filepath.Base(vcd), filepath.Ext(vcd))
	maps := mappings{dir: filepath.Join(filepath.Dir(vcd), ".surfer", "mappings"), prefix: legalName(base, nil)}
	var b strings.Builder
	for _, g := range groups {
		if g.Closed {
			continue
		}
		if g.Name != "" {
			fmt.Fprintf(&b, "divider_add %s\n", strings.ReplaceAll(g.Name, " ", "_"))
		}
		for _, r := range g.rows {
			v := r.vars[0]
			if r.bit >= 0 {
				continue
			}
			fmt.Fprintf(&b, "variable_add %s\n", strings.Join(v.names(), "."))
			format, err := d.surferFormat(v, g, &maps)
			if err != nil {
				return err
			}
			if format != "" {
				fmt.Fprintf(&b, "item_set_format %s\n", format)
			}
		}
	}
	if m := d.marked(); m != nil {
		fmt.Fprintf(&b, "cursor_set %d\ngoto_cursor\n", m.fs)
	}
	return output.WriteFile(CommandFile(vcd), []byte(b.String()))
}

// surferFormat is the name of the format of a variable, "" for Surfer's own choice.
func (d *Dump) surferFormat(v *variable, g arranged, maps *mappings) (string, error) {
	d.call(v)
	names := v.called()
	switch {
	case v.width == 1:
		return "", nil
	case len(names) > 0:
		return maps.of(v, names)
	case v.signed():
		return "Signed", nil
	case g.Decimal || v.counts || v.width <= 8:
		return "Unsigned", nil
	}
	return "Hexadecimal", nil
}

// mappings are the mapping files, one for each set of names and width.
type mappings struct {
	dir, prefix string
	known       map[string]string // by contents: the name of the format
}

// of returns the format for the values of a variable, and writes its mapping if it is new.
func (m *mappings) of(v *variable, names []named) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "Bits = %d\n", v.width)
	for _, n := range names {
		fmt.Fprintf(&b, "0x%x %s\n", n.value, oneLine(n.text))
	}
	if name, ok := m.known[b.String()]; ok {
		return name, nil
	}
	name := fmt.Sprintf("%s_%d_%s", m.prefix, len(m.known)+1, v.name)
	if m.known == nil {
		m.known = map[string]string{}
	}
	m.known[b.String()] = name
	if err := os.MkdirAll(m.dir, 0o777); err != nil {
		return "", err
	}
	return name, output.WriteFile(filepath.Join(m.dir, name+".map"), []byte("Name = "+name+"\n"+b.String()))
}
