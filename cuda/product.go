package cuda

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"divergo/internal/output"
)

// products are the files that a command line of nvcc makes. The compiler writes them in the
// temporary folder. They get their names when all are complete.
type products struct {
	b     *build
	files output.Set
	list  []product
}

// product is an output file, and the path to which the compiler writes it.
type product struct {
	file *output.File
	made string
}

// add adds the file that an option names. It returns the path to which the compiler writes it.
func (p *products) add(option, name string) (made string, err error) {
	file, err := p.files.CreateAny(option, name)
	if err != nil {
		return "", fmt.Errorf("nvcc: %s: %w", option, err)
	}
	made = p.b.file(fmt.Sprintf("product%d", len(p.list)))
	p.list = append(p.list, product{file, made})
	return made, nil
}

// keep moves the files to their names.
func (p *products) keep() error {
	for _, x := range p.list {
		if err := x.file.KeepCopy(x.made); err != nil {
			return err
		}
	}
	return nil
}

// dependencies is the list of the files that a source includes, for make (-MD).
type dependencies struct {
	wanted bool
	file   string // -MF
	named  bool   // -MT names the target
}

// depend makes the compiler write the list of a source's includes. By default its name and its
// target are those of the output (NVCC, "File and Path Specifications").
func (n *nvcc) depend(b *build, p *products, source, output, target string) error {
	if !n.list.wanted {
		return nil
	}
	option, name := "-MF", n.list.file
	if name == "" {
		option, name = "-MD", strings.TrimSuffix(output, filepath.Ext(output))+".d"
	}
	made, err := p.add(option, name)
	if err != nil {
		return err
	}
	how := []string{"-MMD", "-MF", made}
	if !n.list.named {
		how = append(how, "-MQ", target)
	}
	if b.lists == nil {
		b.lists = make(map[string][]string)
	}
	b.lists[source] = how
	return nil
}

// archive adds objects to a library. If the library exists, its other members stay.
func (b *build) archive(name, to string, objects []object) error {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		old, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := b.temp.WriteFile(to, old); err != nil {
			return err
		}
	}
	var list []string
	for _, o := range objects {
		list = append(list, o.file)
	}
	return b.ar("rcs", to, list)
}

// ar runs the archiver.
func (b *build) ar(how, to string, objects []string) error {
	if out, err := output.Run(exec.Command("ar", append([]string{how, to}, objects...)...)); err != nil {
		return fmt.Errorf("ar, which is in Debian's package binutils: %w\n%s", err, out)
	}
	return nil
}
