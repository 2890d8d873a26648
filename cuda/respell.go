package cuda

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// nvcc accepts launches with blanks between the brackets, "k << <1, 1 >> >(p)", and "__shared__
// alignas(16) int a[4]". Clang refuses both.
//
// If clang refuses them, the file is compiled again from a copy: brackets move together, and
// alignas moves to the front of its declaration. The copy has the same lines, and the compiler
// reads it under the file's name (Clang, -ivfsoverlay).

// refusals are clang's messages about such a file.
var refusals = []string{"error: expected expression", "error: an attribute list cannot appear here"}

// diagnosed matches the file names in clang's messages.
var diagnosed = regexp.MustCompile(`(?m)^(.+?):\d+:\d+: (?:error|note): `)

// accepted runs the compiler on a CUDA file. If clang refuses the file for its spelling, it runs
// again on a copy.
func (b *build) accepted(args ...string) error {
	for {
		all := args
		if len(b.respelled) > 0 {
			all = slices.Concat(args, []string{"-ivfsoverlay", b.file("respelled.yaml")})
		}
		err := b.clang(all...)
		if err == nil {
			return nil
		}
		more, wrong := b.respell(err)
		if wrong != nil {
			return wrong
		}
		if !more {
			return err
		}
	}
}

// respell copies the files that a compiler error names. It reports whether any copy is new.
func (b *build) respell(err error) (more bool, wrong error) {
	var said *compilerError
	if !errors.As(err, &said) || !slices.ContainsFunc(refusals,
		func(r string) bool { return strings.Contains(said.messages, r) }) {
		return false, nil
	}
	for _, found := range diagnosed.FindAllStringSubmatch(said.messages, -1) {
		path, err := filepath.Abs(found[1])
		if err != nil || b.respelled[path] != "" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the compiler made this file
		}
		clang := respelled(text)
		if bytes.Equal(clang, text) {
			continue
		}
		if b.respelled == nil {
			b.respelled = make(map[string]string)
		}
		b.respelled[path] = b.file(fmt.Sprintf("respelled%d", len(b.respelled)))
		if err := b.temp.WriteFile(b.respelled[path], clang); err != nil {
			return false, err
		}
		more = true
	}
	if !more {
		return false, nil
	}
	// The format is YAML, of which JSON is a part (LLVM, VirtualFileSystem.h).
	type root struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		Contents string `json:"external-contents"`
	}
	var roots []root
	for path, copied := range b.respelled {
		roots = append(roots, root{"file", path, copied})
	}
	overlay, err := json.Marshal(map[string]any{
		"version": 0, "case-sensitive": "true", "use-external-names": "false",
		"roots": roots,
	})
	return true, errors.Join(err, b.temp.WriteFile(b.file("respelled.yaml"), overlay))
}

// token is a word or a character of C++ that is neither blank nor in a comment.
type token struct{ start, end int }

// edit replaces a part of a file by text.
type edit struct {
	start, end int
	text       string
}

// respelled returns the text of a file in clang's spelling.
func respelled(text []byte) []byte {
	tokens := tokensOf(text)
	word := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return string(text[tokens[i].start:tokens[i].end])
	}
	// brackets reports whether three equal brackets follow each other with only blanks between
	// them.
	brackets := func(i int, bracket string) bool {
		return word(i) == bracket && word(i+1) == bracket && word(i+2) == bracket &&
			len(bytes.Trim(text[tokens[i].start:tokens[i+2].end], bracket+" \t\r\n")) == 0
	}
	var edits []edit
	together := func(i int) {
		start, end := tokens[i].start, tokens[i+2].end
		blanks := strings.ReplaceAll(string(text[start:end]), word(i), "")
		edits = append(edits, edit{start, end, strings.Repeat(word(i), 3) + blanks})
	}
	for i := 0; i < len(tokens); i++ {
		switch {
		case brackets(i, "<") && word(i-1) != "operator":
			if end := launchEnd(word, brackets, i+3); end > 0 {
				together(i)
				together(end)
			}
			i += 2
		case word(i) == "__shared__" && word(i+1) == "alignas" && word(i+2) == "(":
			last, first := i+3, i
			for depth := 1; last < len(tokens) && depth > 0; last++ {
				depth += map[string]int{"(": 1, ")": -1}[word(last)]
			}
			for slices.Contains([]string{"extern", "static", "volatile", "const"}, word(first-1)) {
				first--
			}
			start, alignas, end := tokens[first].start, tokens[i+1].start, tokens[last-1].end
			words := strings.TrimRight(string(text[start:alignas]), " \t\r\n")
			blanks := string(text[start+len(words) : alignas])
			edits = append(edits, edit{start, end, string(text[alignas:end]) + blanks + words})
			i = last - 1
		}
	}
	if edits == nil {
		return text
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start }) // launches can be nested
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(text[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(text[at:])
	return out.Bytes()
}

// launchEnd returns the token of the brackets that end a launch configuration; 0 if the text at
// token i is no launch. A launch has at least two arguments in the brackets, and the kernel's
// arguments follow.
func launchEnd(word func(int) string, brackets func(int, string) bool, i int) int {
	depth, commas := 0, 0
	for ; ; i++ {
		switch w := word(i); {
		case w == "" || w == ";" || depth < 0:
			return 0
		case w == "(" || w == "[" || w == "{":
			depth++
		case w == ")" || w == "]" || w == "}":
			depth--
		case depth == 0 && w == ",":
			commas++
		case depth == 0 && commas > 0 && brackets(i, ">") && word(i+3) == "(":
			return i
		}
	}
}

var (
	rawString = regexp.MustCompile(`^(?:u8|[uUL])?R"([^ ()\\\t\v\f\n]{0,16})\(`)
	literal   = regexp.MustCompile(`^(?:u8|[uUL])?(?:"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?)`)
	number    = regexp.MustCompile(`^\.?[0-9](?:[eEpP][+-]|'?[0-9A-Za-z_]|\.)*`)
	name      = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*`)
	skipped   = regexp.MustCompile(`^(?:\s+|\\\r?\n|//(?:[^\n\\]|\\[\s\S])*|/\*[\s\S]*?(?:\*/|$))`)
)

// tokensOf finds the tokens of C++: words, numbers, strings, and characters one by one.
func tokensOf(text []byte) (tokens []token) {
	for at := 0; at < len(text); {
		rest := text[at:]
		n := len(skipped.Find(rest))
		if n > 0 {
			at += n
			continue
		}
		if raw := rawString.FindSubmatch(rest); raw != nil {
			n = len(rest)
			if end := bytes.Index(rest, slices.Concat([]byte(")"), raw[1], []byte(`"`))); end >= 0 {
				n = end + len(raw[1]) + 2
			}
		} else {
			for _, r := range []*regexp.Regexp{literal, number, name} {
				if n = len(r.Find(rest)); n > 0 {
					break
				}
			}
		}
		n = max(n, 1)
		tokens = append(tokens, token{at, at + n})
		at += n
	}
	return tokens
}
