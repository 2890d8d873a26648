package sweep

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"divergo/gpu"
	"divergo/internal/input"
	"divergo/internal/printable"
	"divergo/kernels"
	"divergo/testbench"
	"divergo/testbench/launches"
)

// subject is a value of the axis kernel: what a machine runs.
type subject struct {
	text      string   // as in the plan
	digest    [32]byte // of all that is run: PTX, launches, data, or the program
	preset    string   // machine to start from if the plan names none
	machine   string   // launch files: file with keys of the machine; "" if there is none
	mechanism string   // launch files: the mechanism that the file names
	seed      uint64   // if the plan has none
	seeded    bool     // the verb has a flag for the seed
	verb      []string // words of the command line before the flags
	last      []string // words behind them

	// one of these
	size   *kernels.Size
	launch string   // path of a launch file
	build  []string // paths of a program, or of its sources
	args   []string // of the program
}

// sources are the extensions of files from which a program is built.
var sources = []string{".cu", ".cpp", ".cc", ".cxx", ".c"}

// newSubject reads a value of the axis kernel.
func (p *Plan) newSubject(value string) (*subject, error) {
	words := strings.Fields(value)
	if len(words) == 0 {
		return nil, fmt.Errorf("kernel: want a kernel with its size, a launch file, or a program with its arguments")
	}
	name := words[0]
	s := &subject{text: value, preset: gpu.DefaultPreset, seed: 1, seeded: true}
	kernel, err := kernels.Find(name)
	if err == nil {
		return s, s.builtin(kernel, words[1:])
	}
	path := p.path(name)
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case ext == ".json":
		if len(words) > 1 {
			return nil, fmt.Errorf("kernel: found %q behind the launch file %s", words[1], printable.Name(name))
		}
		return s, s.launches(path, name)
	case ext == ".ptx":
		return nil, fmt.Errorf("kernel: %s: want a launch file, which says how its kernels are launched (docs/howto/launch-files.md)",
			printable.Name(name))
	case slices.Contains(sources, ext):
	default:
		if info, missing := os.Stat(path); missing != nil || info.IsDir() {
			return nil, err // the kernel is unknown
		}
	}
	s.verb, s.last, s.seeded, s.preset = []string{"cuda", "run"}, words[:1], false, "kepler"
	if s.args = words[1:]; len(s.args) > 0 {
		s.last = slices.Concat(words[:1], []string{"--"}, s.args)
	}
	s.build = []string{path}
	return s, s.program()
}

// builtin makes the subject a built-in kernel. The words name its size.
func (s *subject) builtin(kernel kernels.Kernel, words []string) error {
	size := kernel.Sizes[0]
	if len(words) > 0 {
		var err error
		if size, err = kernel.Size(words[0]); err != nil {
			return err
		}
	}
	if len(words) > 1 {
		return fmt.Errorf("kernel: found %q behind the size of %s", words[1], kernel.Name)
	}
	ptx, err := kernels.PTX(kernel.Module())
	s.size, s.verb = &size, []string{"run", kernel.Name, "--size", size.Name}
	s.digest = digest("kernel", kernel.Name, size.Name, ptx)
	return err
}

// launches makes the subject a launch file.
func (s *subject) launches(path, name string) error {
	f, err := launches.Read(path)
	if err != nil {
		return err
	}
	if _, err := f.Load(); err != nil {
		return err
	}
	h := sha256.New()
	for _, file := range append([]string{path}, f.Files()...) {
		if err := hashFile(h, file); err != nil {
			return err
		}
	}
	s.launch, s.machine, s.mechanism, s.seed = path, f.MachinePath(), f.Mechanism, f.Seed
	s.verb, s.digest = []string{"run", name}, [32]byte(h.Sum(nil))
	return nil
}

// maxInclude limits the bytes of a source file of a program.
const maxInclude = 64 << 20

// program reads a program. Of sources, the files that they include by a name in quotes are part of
// it.
func (s *subject) program() error {
	h := sha256.New()
	for seen, list := map[string]bool{}, slices.Clone(s.build); len(list) > 0; list = list[1:] {
		name := list[0]
		if seen[name] {
			continue
		}
		seen[name] = true
		if !s.source() {
			if err := hashFile(h, name); err != nil {
				return err
			}
			continue
		}
		text, err := input.Read(name, maxInclude)
		if err != nil {
			if name == s.build[0] {
				return err
			}
			continue // it may be in a folder of the system
		}
		fmt.Fprintf(h, "%d ", len(text))
		h.Write(text)
		for line := range bytes.Lines(text) {
			rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("#"))
			if rest, include := bytes.CutPrefix(bytes.TrimSpace(rest), []byte("include")); ok && include {
				if q := bytes.Split(rest, []byte(`"`)); len(q) >= 3 {
					list = append(list, filepath.Join(filepath.Dir(name), string(q[1])))
				}
			}
		}
	}
	fmt.Fprintf(h, "%q", s.args)
	s.digest = [32]byte(h.Sum(nil))
	return nil
}

// source reports whether the subject is a CUDA program that is to be built.
func (s *subject) source() bool {
	return s.build != nil && slices.Contains(sources, strings.ToLower(filepath.Ext(s.build[0])))
}

// hashFile adds the bytes of a file to a hash.
func hashFile(h io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", printable.Name(name), err)
	}
	defer f.Close()
	n, err := io.Copy(h, f)
	fmt.Fprintf(h, " %d ", n)
	return err
}

// digest returns the hash of texts.
func digest(texts ...string) [32]byte { return sha256.Sum256(fmt.Appendf(nil, "%q", texts)) }

// herd is a value of the axis herd.
type herd struct {
	spec   string // as of "divergo run --herd"; "" herds nothing
	digest [32]byte
}

// newHerd reads a value of the axis herd.
func (p *Plan) newHerd(spec string) (herd, error) {
	h := herd{spec: spec, digest: digest(spec)}
	if spec == "" {
		return h, nil
	}
	if testbench.IsHerdingFile(p.path(spec)) {
		h.spec = p.path(spec)
		text, err := os.ReadFile(h.spec)
		if err != nil {
			return h, err
		}
		h.digest = sha256.Sum256(text)
	}
	_, err := testbench.ReadHerds("herd", h.spec)
	return h, err
}
