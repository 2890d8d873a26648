// Package output writes every file that divergo makes. Each file is complete or absent.
//
// A long run must not end with a result that cannot be written. A run that fails must not leave
// half a file behind. So a File is created before the run, beside its final name, and takes that
// name when the run has ended well. A [Set] finds names that conflict with each other.
package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// File is a file that appears under its name when it is kept. A name that is a link stands for the
// link's target. A name that is not a regular file, such as /dev/null or /dev/stdout, is a stream
// and is written directly.
type File struct {
	name   string // as given
	final  string // the file that it stands for; "" for a stream
	file   *os.File
	failed error // of the first failed Write
	done   bool
}

// unfinished holds what must be removed if the process ends early. These are files without their
// final name, temporary files, and programs that write files.
var unfinished = struct {
	sync.Mutex
	files    map[*File]bool
	scratch  map[*Scratch]bool
	children map[*Child]bool
}{files: map[*File]bool{}, scratch: map[*Scratch]bool{}, children: map[*Child]bool{}}

// Abandon removes unfinished files, as [Clean] does, for a process that is about to end. After it,
// no file can be created or kept.
func Abandon() {
	unfinished.Lock()
	clean()
}

// Clean ends the programs that still write files, and removes unfinished files.
func Clean() {
	unfinished.Lock()
	defer unfinished.Unlock()
	clean()
}

func clean() {
	killAll(unfinished.children)
	for f := range unfinished.files {
		f.file.Close()
		os.Remove(f.file.Name())
	}
	for s := range unfinished.scratch {
		os.RemoveAll(s.path)
	}
}

// Create starts a file. It fails if the folder is missing or cannot be written, or if the name is a
// folder. The file has the permissions of the file that it replaces, or those of any new file.
func Create(name string) (*File, error) {
	final, err := target(name)
	if err != nil {
		return nil, err
	}
	if final == "" {
		file, err := open(name)
		if err != nil {
			return nil, err
		}
		return &File{name: name, file: file}, nil
	}
	if err := check(name, final); err != nil {
		return nil, err
	}
	unfinished.Lock()
	defer unfinished.Unlock()
	file, err := beside(final)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot write in %s: %w", name, filepath.Dir(final), cause(err))
	}
	if info, err := os.Stat(final); err == nil {
		if err := file.Chmod(info.Mode().Perm()); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", name, cause(err)), file.Close(), os.Remove(file.Name()))
		}
	}
	f := &File{name: name, final: final, file: file}
	unfinished.files[f] = true
	return f, nil
}

// target is the regular file that a name stands for, existing or not, or "" for a stream.
func target(name string) (string, error) {
	const links = 40 // the limit of Linux
	path := name
	for range links {
		if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil &&
			(folder == "/dev/fd" || strings.HasPrefix(folder, "/proc/")) {
			return "", nil // an open file of the process, of any kind
		}
		next, err := os.Readlink(path)
		if err != nil {
			if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
				return "", nil
			}
			return path, nil
		}
		if !filepath.IsAbs(next) {
			next = filepath.Dir(path) + string(filepath.Separator) + next
		}
		path = next
	}
	return "", fmt.Errorf("%s: more than %d links lead on", name, links)
}

// open opens a stream. Two descriptors of the same redirected output would overwrite each other. So
// open reuses standard output or standard error if the name is the same file.
func open(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil {
		for _, f := range []*os.File{os.Stdout, os.Stderr} {
			if same, err := f.Stat(); err == nil && os.SameFile(info, same) {
				return f, nil
			}
		}
	}
	return os.OpenFile(name, os.O_WRONLY, 0)
}

// check reports why a file cannot be created.
func check(name, final string) error {
	info, err := os.Stat(final)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a folder, want the name of a file", name)
	case err == nil && info.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("%s: exists and is read-only", name)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("%s: %w", name, cause(err))
	}
	folder := filepath.Dir(final)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: no folder %s", name, folder)
	}
	return nil
}

// beside creates a hidden file in the folder of another one.
func beside(final string) (*os.File, error) {
	folder, base := filepath.Split(final)
	base = base[:min(len(base), 100)] // a name may have 255 bytes
	for n := 0; ; n++ {
		name := filepath.Join(folder, fmt.Sprintf(".%s.%d.%d", base, os.Getpid(), n))
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// cause is an error about a file without the file's name.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// Stream reports whether written bytes have gone to a stream and cannot be taken back.
func (f *File) Stream() bool { return f.final == "" }

// Path is the path of the file until it is kept, for another program that writes it.
func (f *File) Path() string { return f.file.Name() }

// Write implements io.Writer. Errors name the file as given to Create.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, f.note(err)
}

// WriteAt implements io.WriterAt, for regular files.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.file.WriteAt(p, off)
	return n, f.note(err)
}

// note adds the name to an error of writing, and keeps the first one.
func (f *File) note(err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", f.name, cause(err))
	if f.failed == nil {
		f.failed = err
	}
	return err
}

// Keep closes the file and gives it its name, replacing any file there. If a Write failed, Keep
// removes the file and returns the error of that Write.
func (f *File) Keep() error {
	if f.failed != nil {
		f.Discard()
		return f.failed
	}
	if f.done {
		return nil
	}
	f.done = true
	if f.Stream() {
		return f.end()
	}
	unfinished.Lock()
	defer unfinished.Unlock()
	delete(unfinished.files, f)
	err := f.file.Close()
	if err == nil {
		err = os.Rename(f.file.Name(), f.final)
	}
	if err != nil {
		os.Remove(f.file.Name())
		return fmt.Errorf("%s: %w", f.name, cause(err))
	}
	return nil
}

// end closes a stream.
func (f *File) end() error {
	if f.file == os.Stdout || f.file == os.Stderr {
		return nil
	}
	return f.file.Close()
}

// KeepCopy fills the file with a copy of another one, and keeps it. The copy is executable if the
// other file is.
func (f *File) KeepCopy(of string) error {
	from, err := os.Open(of)
	if err != nil {
		return err
	}
	defer from.Close()
	if _, err := io.Copy(f, from); err != nil {
		return err
	}
	if info, err := from.Stat(); err != nil || info.Mode()&0o100 != 0 {
		if err := errors.Join(err, f.execute()); err != nil {
			return err
		}
	}
	return f.Keep()
}

// execute gives the right to execute the file to everyone who may read it.
func (f *File) execute() error {
	if f.Stream() {
		return nil
	}
	info, err := f.file.Stat()
	if err == nil {
		mode := info.Mode().Perm()
		err = f.file.Chmod(mode | mode&0o444>>2)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, cause(err))
	}
	return nil
}

// Discard closes and removes the file, if it has not been kept.
func (f *File) Discard() {
	switch {
	case f.done:
	case f.Stream():
		f.done = true
		f.end()
	default:
		f.done = true
		unfinished.Lock()
		defer unfinished.Unlock()
		delete(unfinished.files, f)
		f.file.Close()
		os.Remove(f.file.Name())
	}
}

// WriteFile writes a whole file.
func WriteFile(name string, data []byte) error {
	f, err := Create(name)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Keep()
}
