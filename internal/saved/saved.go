// Package saved keeps values in files: models for another process, and the state of a long
// computation, a checkpoint. The idea: a line contains the kind and the version of the file, so
// that other files are rejected; values follow descriptions of their types, with every bit of
// every number; and a SHA-256 hash detects damage. Reading allocates memory in proportion to
// the input read, independently of the lengths that the file claims.
//
// A value is, or is a pointer to, a value that package gob could store, except interfaces, maps
// whose keys are not strings, and types that contain themselves. For structs, the exported
// fields are stored.
package saved

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Format begins the first line of a file: a name and a version number.
type Format string

// buffer is the size in bytes of the buffers for a value.
const buffer = 1 << 16

const digits = "0123456789"

func (f Format) line() string { return string(f) + "\n" }

// refuse returns the error for a file that begins with another name or version.
func (f Format) refuse(other string) error {
	if strings.TrimRight(other, digits) == strings.TrimRight(string(f), digits) {
		return fmt.Errorf("it is a %q, of another version than this program's %q", other, f)
	}
	return fmt.Errorf("it does not begin with %q", f)
}

// before returns the preceding version, whose values were in the encoding of package gob.
func (f Format) before() Format {
	name := strings.TrimRight(string(f), digits)
	n, err := strconv.Atoi(string(f[len(name):]))
	if err != nil || n < 2 {
		return f
	}
	return Format(name + strconv.Itoa(n-1))
}

// Write writes a value for Read: the line, the number of bytes of the description and the
// value, these bytes, and their hash. It returns w's error, or an error for a value that cannot
// be stored. It allocates memory for the bytes.
func (f Format) Write(w io.Writer, value any) error {
	var b bytes.Buffer
	e := encoder{w: &b}
	if err := e.state(value); err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint64([]byte(f.line()), uint64(b.Len()))
	hash := sha256.Sum256(b.Bytes())
	for _, bytes := range [][]byte{head, b.Bytes(), hash[:]} {
		if _, err := w.Write(bytes); err != nil {
			return err
		}
	}
	return nil
}

// Read reads the output of Write, or a file of the preceding version, into value, a pointer. It
// does not read beyond the value; for a file of the preceding version this requires that r is
// an io.ByteReader, such as a *bufio.Reader. It returns r's error, or an error with the
// expected input.
func (f Format) Read(r io.Reader, value any) error {
	line := make([]byte, len(f.line()))
	_, err := io.ReadFull(r, line)
	if err != nil && notEOF(err) != nil {
		return err
	}
	switch string(line) {
	case f.line():
		err = decode(r, value)
	case f.before().line():
		err = gob.NewDecoder(r).Decode(value)
	default:
		return f.refuse(strings.TrimSuffix(string(line), "\n"))
	}
	if err != nil {
		return fmt.Errorf("behind %q: %w", line, err)
	}
	return nil
}

var errShort = errors.New("it ends too soon")

// decode reads the part after the line.
func decode(r io.Reader, value any) error {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return short(err)
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > 1<<62 {
		return errShort
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, int64(n)); err != nil {
		return short(err)
	}
	var hash [sha256.Size]byte
	if _, err := io.ReadFull(r, hash[:]); err != nil {
		return short(err)
	}
	if sha256.Sum256(b.Bytes()) != hash {
		return errors.New("it is damaged")
	}
	d := decoder{r: &b, left: int64(n)}
	if err := d.state(value); err != nil {
		return err
	}
	if d.left > 0 {
		return errors.New("it holds more than is wanted")
	}
	return nil
}

// short returns errShort for the end of a file.
func short(err error) error {
	if notEOF(err) == nil {
		return errShort
	}
	return err
}

// Ahead bounds, in bytes, the memory that Read allocates for a value of the preceding version
// before it has read the length that the file claims. Further memory is in proportion to the
// input read. It is a constant of package gob.
const Ahead = 10 << 20

// Series returns a reader of r from which Read takes one value after another: r itself if it is
// an io.ByteReader. Files of the preceding version require it.
func Series(r io.Reader) io.Reader {
	if _, ok := r.(io.ByteReader); ok {
		return r
	}
	return bufio.NewReader(r)
}

// Saver is a model that its package saves.
type Saver interface{ Save(io.Writer) error }

// WriteSeries writes a value like Write, followed by the models, each by its own Save.
func (f Format) WriteSeries(w io.Writer, value any, models ...Saver) error {
	if err := f.Write(w, value); err != nil {
		return err
	}
	for _, m := range models {
		if err := m.Save(w); err != nil {
			return err
		}
	}
	return nil
}
