package gpu

import (
	"bytes"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"divergo/internal/key"
	"divergo/internal/place"
)

// Locate adds a place in a document to each fault that Check found: file:line:column, with the
// line. The document is the one that Load read. A fault stays as it is if its value is not in the
// document, or was changed after loading.
func Locate(err error, file string, text []byte, changed []string) error {
	if err == nil {
		return nil
	}
	at := positions(text)
	for _, name := range changed {
		delete(at, name)
	}
	var errs []error
	for _, f := range key.Faults(err) {
		var placed error = f
		for _, name := range f.Keys {
			if p, ok := at[name]; ok {
				placed = place.Error(file, text, p.row, p.column, f.Error())
				break
			}
		}
		errs = append(errs, placed)
	}
	return errors.Join(errs...)
}

// position is a place in a document. Row and column count from 1; the column is in bytes.
type position struct{ row, column int }

// positions returns the places of the values of a valid document, by key.
func positions(text []byte) map[string]position {
	at := map[string]position{}
	var p unstable.Parser
	table := ""
	// name joins the parts of a key.
	name := func(parts unstable.Iterator) string {
		var names []string
		for parts.Next() {
			names = append(names, string(parts.Node().Data))
		}
		return strings.Join(names, ".")
	}
	var pair func(path string, e *unstable.Node)
	pair = func(path string, e *unstable.Node) {
		path += name(e.Key())
		value := e.Value()
		if value.Kind == unstable.InlineTable {
			for parts := value.Children(); parts.Next(); {
				pair(path+".", parts.Node())
			}
			return
		}
		before := text[:value.Raw.Offset]
		at[path] = position{bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')}
	}
	for p.Reset(text); p.NextExpression(); {
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			table = name(e.Key()) + "."
		case unstable.KeyValue:
			pair(table, e)
		}
	}
	return at
}

// MaxDocument is a size limit in bytes that no configuration reaches.
const MaxDocument = 64 << 10
