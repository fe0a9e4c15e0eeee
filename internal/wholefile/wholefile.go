// Package wholefile writes files whole or not at all.
//
// The idea: write to a second file, which takes the place of the first at the end. The name
// of the second file is always the same, and a lock tells whether its writer lives. So the
// next process takes over, or removes, what a killed process has left.
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Suffix is what the name of a file in the making ends in.
const Suffix = ".incomplete"

// ErrBusy is wrapped by the error for a file that is being written already.
var ErrBusy = errors.New("it is being written already")

// File is a file in the making.
type File struct {
	target string // what it takes the place of; "": it is written to directly
	f      *os.File
}

// Create begins to write the named file. A file that exists keeps its content until
// Commit, and its permissions. A symbolic link stands for the file that it leads to, which
// need not exist. What is not a regular file, such as a pipe or a terminal, is
// written to directly. The error is the system's, or wraps ErrBusy.
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

// mostLinks is how many symbolic links are followed.
const mostLinks = 40

// follow returns what a name stands for whose last part may be a symbolic link.
func follow(name string) (string, error) {
	for range mostLinks {
		link, err := os.Readlink(name)
		if err != nil {
			return name, nil // no link, or nothing yet
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(name), link)
		}
		name = link
	}
	return "", &fs.PathError{Op: "create", Path: name, Err: errors.New("too many symbolic links")}
}

// open opens and locks a file in the making. One that another writer has renamed since
// it was opened is none.
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

// Write writes to the file in the making.
func (f *File) Write(b []byte) (int, error) { return f.f.Write(b) }

// Commit ends the writing: what was written takes the place of the file that was there.
// After an error nothing has changed.
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
	return f.f.Close() // and with it the lock
}

// Discard ends the writing as if it had not begun.
func (f *File) Discard() error {
	if f.target == "" {
		return f.f.Close()
	}
	return errors.Join(os.Remove(f.f.Name()), f.f.Close())
}

// Clean removes what a process that was killed has left of writing the named file, if
// there is something and nobody writes it now.
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
