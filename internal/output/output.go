// Package output writes every file that divergo makes. They are complete or not there.
//
// A long run must not end in the discovery that its result cannot be written,
// and a run that fails must not leave half a file behind. So a File is created
// before the run, beside its final name, and takes that name when the run has
// ended well. A [Set] finds names that would be in each other's way.
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

// File is a file that appears under its name when it is kept. A name that is a
// link stands for what the link leads to. A name that is no regular file, such
// as /dev/null or /dev/stdout, is a stream, which is written directly.
type File struct {
	name   string // as it was given
	final  string // what it leads to; "" for a stream
	file   *os.File
	failed error // of the first Write that did
	done   bool
}

// unfinished is what goes when the process ends before its time: files that exist under
// another name than theirs, temporary ones, and programs that write some.
var unfinished = struct {
	sync.Mutex
	files    map[*File]bool
	scratch  map[*Scratch]bool
	children map[*Child]bool
}{files: map[*File]bool{}, scratch: map[*Scratch]bool{}, children: map[*Child]bool{}}

// Abandon removes what is not finished, as [Clean] does, for a process that is about to end:
// no file can be created or kept from then on.
func Abandon() {
	unfinished.Lock()
	clean()
}

// Clean ends the programs that still write files, and removes what is not finished.
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

// Create starts a file. It fails if the folder is missing or cannot be
// written, or if the name is that of a folder. The file has the permissions of
// the one that it replaces, or those of any new file.
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

// target is the regular file that a name leads to, there or not, or "" for a
// stream.
func target(name string) (string, error) {
	const links = 40 // that Linux follows
	path := name
	for range links {
		if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil && (folder == "/dev/fd" || strings.HasPrefix(folder, "/proc/")) {
			return "", nil // an open file of the process, whatever it is
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

// open opens a stream. Two descriptors of what standard output is redirected to
// would overwrite each other, so that it is written through the one that there is.
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

// check says why there cannot be a file.
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

// beside makes a hidden file in the folder of another one.
func beside(final string) (*os.File, error) {
	folder, base := filepath.Split(final)
	base = base[:min(len(base), 100)] // a name can have 255 bytes
	for n := 0; ; n++ {
		name := filepath.Join(folder, fmt.Sprintf(".%s.%d.%d", base, os.Getpid(), n))
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// cause is what an error about a file says beside its name.
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

// Stream reports whether what is written has gone where nobody can take it back.
func (f *File) Stream() bool { return f.final == "" }

// Path is where the file lies until it is kept, for another program that writes it.
func (f *File) Path() string { return f.file.Name() }

// Write implements io.Writer. Errors are about the file by the name that it was
// created with.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.name, cause(err))
		if f.failed == nil {
			f.failed = err
		}
	}
	return n, err
}

// Keep closes the file and gives it its name, replacing what was there. A file of which
// something could not be written is removed instead, and the error is that of the write.
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

// KeepCopy fills the file with another one, and keeps it. It can be executed if the other can.
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

// execute lets those execute the file who can read it.
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
