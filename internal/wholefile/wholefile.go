// Package wholefile writes files whole or not at all.
//
// The idea: write to a second file, which replaces the first at the end. The name of the second
// file is always the same, and a lock shows whether its writer is still running. So the next
// process takes over, or removes, the remains of a killed process.
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Suffix ends the name of an incomplete file.
const Suffix = ".incomplete"

// ErrBusy is returned for a file that another writer is writing.
var ErrBusy = errors.New("it is being written already")

// File is an incomplete file.
type File struct {
	target string // the file to replace; "": written directly
	f      *os.File
}

// Create begins to write the named file. An existing file keeps its contents until Commit, and
// its permissions. A symbolic link denotes its target, which need not exist. A file that is not
// regular, such as a pipe or a terminal, is written directly. The error is the system's, or
// wraps ErrBusy.
func Create(name string) (*File, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, &fs.PathError{Op: "create", Path: name, Err: errors.New("is a directory")}
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &File{f: f}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	target, err := follow(name)
	if err != nil {
		return nil, err
	}
	f, err := open(target + Suffix)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	file := &File{target, f}
	err = f.Truncate(0)
	if err == nil && info != nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err != nil {
		return nil, errors.Join(err, file.Discard())
	}
	return file, nil
}

// mostLinks is the maximum number of symbolic links to follow.
const mostLinks = 40

// follow returns the target of a name whose last part may be a symbolic link.
func follow(name string) (string, error) {
	for range mostLinks {
		link, err := os.Readlink(name)
		if err != nil {
			return name, nil // not a link, or not existing yet
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(name), link)
		}
		name = link
	}
	return "", &fs.PathError{Op: "create", Path: name, Err: errors.New("too many symbolic links")}
}

// open opens and locks an incomplete file. It tries again if another writer has renamed the
// file since it was opened.
func open(name string) (*os.File, error) {
	for {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if !Lock(f) {
			f.Close()
			return nil, ErrBusy
		}
		same, err := isAt(f, name)
		if same && err == nil {
			return f, nil
		}
		if f.Close(); err != nil {
			return nil, err
		}
	}
}

// isAt reports whether the named file is f.
func isAt(f *os.File, name string) (bool, error) {
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	found, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(opened, found), err
}

// Write writes to the incomplete file.
func (f *File) Write(b []byte) (int, error) { return f.f.Write(b) }

// Commit ends the writing: the new file replaces the old one. After an error the old file is
// unchanged.
func (f *File) Commit() error {
	if f.target == "" {
		return f.f.Close()
	}
	err := f.f.Sync()
	if err == nil {
		err = os.Rename(f.f.Name(), f.target)
	}
	if err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.f.Close() // also releases the lock
}

// Discard ends the writing and leaves the old file unchanged.
func (f *File) Discard() error {
	if f.target == "" {
		return f.f.Close()
	}
	return errors.Join(os.Remove(f.f.Name()), f.f.Close())
}

// Clean removes the remains of a killed process that was writing the named file, unless another
// process is writing it now.
func Clean(name string) error {
	target, err := follow(name)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(target + Suffix); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f, err := open(target + Suffix)
	if errors.Is(err, ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	return (&File{target, f}).Discard()
}
