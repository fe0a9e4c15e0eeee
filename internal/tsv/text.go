package tsv

import (
	"errors"
	"io"
	"os"
)

// Text is a text that can be read again and again. A regular file is read where it is; of
// what can be read only once, such as a pipe or standard input, the content is kept in a
// temporary file.
type Text struct {
	name string
	copy *os.File // nil: the named file
	size int64    // of copy
	left string   // the name of copy, "" if it is removed already
}

// OpenText returns the text of the named file, decompressed if the name ends in .gz. Close
// ends its use.
func OpenText(file string) (*Text, error) {
	t := &Text{name: file}
	if file != Stdin {
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			return t, nil
		}
	}
	r, err := Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if t.copy, err = os.CreateTemp("", "text"); err != nil {
		return nil, err
	}
	// Where a file that is open can be removed, it leaves no trace even if the process
	// is killed; elsewhere Close removes it.
	if err := os.Remove(t.copy.Name()); err != nil {
		t.left = t.copy.Name()
	}
	if t.size, err = io.Copy(t.copy, r); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Open opens the text for reading from its beginning.
func (t *Text) Open() (io.ReadCloser, error) {
	if t.copy == nil {
		return Open(t.name)
	}
	return io.NopCloser(io.NewSectionReader(t.copy, 0, t.size)), nil
}

// Name returns what the text is called in errors.
func (t *Text) Name() string { return Name(t.name) }

// Close removes the copy, if there is one.
func (t *Text) Close() error {
	if t.copy == nil {
		return nil
	}
	err := t.copy.Close()
	if t.left != "" {
		err = errors.Join(err, os.Remove(t.left))
	}
	return err
}
