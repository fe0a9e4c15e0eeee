package saved

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"

	"example.org/pathsum/internal/wholefile"
)

// Load is like LoadAll, for one value.
func (f Format) Load(name, identity string, state any) (found bool, err error) {
	return f.LoadAll(name, identity, one(state))
}

// LoadAll fills the values of the state from the named file and reports whether the file
// exists. The values are pointers to the types of the saved values, in the same number; each is
// filled before states yields the next. A nil or empty slice is restored as nil or empty. It
// returns an error for a file of another format, with damage, with another identity, or with
// other types. It removes the remains of a killed process next to the file.
func (f Format) LoadAll(name, identity string, states iter.Seq[any]) (found bool, err error) {
	if err := wholefile.Clean(name); err != nil {
		return false, err
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular() && !info.IsDir():
		return false, errors.New("it is not a regular file")
	}
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	return f.load(file, info.Size(), identity, states)
}

func (f Format) load(file io.ReadSeeker, size int64, identity string, states iter.Seq[any]) (bool, error) {
	head := string(f) + ": " + identity + "\n"
	line := make([]byte, min(int64(len(head)), size))
	if _, err := io.ReadFull(file, line); err != nil {
		return false, err
	}
	switch other, _, _ := strings.Cut(string(line), ": "); {
	case other != string(f):
		return false, f.refuse(other)
	case string(line) != head:
		return false, errors.New("it belongs to a run with other data, start or options")
	}
	values := size - int64(len(head)) - sha256.Size
	damage, err := isDamaged(file, values)
	switch {
	case err != nil:
		return false, err
	case damage:
		return false, errors.New("it is damaged")
	}
	if _, err := file.Seek(int64(len(head)), io.SeekStart); err != nil {
		return false, err
	}
	d := decoder{r: bufio.NewReaderSize(file, buffer), left: values}
	for state := range states {
		if err := d.state(state); err != nil {
			return true, err
		}
	}
	if d.left > 0 {
		return true, errors.New("it holds more than is wanted")
	}
	return true, nil
}

// isDamaged reports whether the hash of the next n bytes does not follow them, or anything
// follows the hash.
func isDamaged(r io.Reader, n int64) (bool, error) {
	h := sha256.New()
	if _, err := io.CopyN(h, r, n); err != nil {
		return true, notEOF(err)
	}
	sum, err := io.ReadAll(io.LimitReader(r, sha256.Size+1))
	return !bytes.Equal(sum, h.Sum(nil)), err
}

func notEOF(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// Save is like SaveAll, for one value.
func (f Format) Save(name, identity string, state any) error {
	return f.SaveAll(name, identity, one(state))
}

// SaveAll replaces the contents of the named file by the values of the state, all or nothing:
// see package wholefile. The identity of the computation ends the first line, and one hash
// follows all values, which are written and read through small buffers.
func (f Format) SaveAll(name, identity string, states iter.Seq[any]) error {
	file, err := wholefile.Create(name)
	if err != nil {
		return err
	}
	h := sha256.New()
	w := bufio.NewWriterSize(file, buffer)
	_, err = fmt.Fprintf(w, "%s: %s\n", f, identity)
	e := encoder{w: io.MultiWriter(w, h)}
	for state := range states {
		if err == nil {
			err = e.state(state)
		}
	}
	if err == nil {
		_, err = w.Write(h.Sum(nil))
	}
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return errors.Join(err, file.Discard())
	}
	return file.Commit()
}

func one(state any) iter.Seq[any] { return func(yield func(any) bool) { yield(state) } }
