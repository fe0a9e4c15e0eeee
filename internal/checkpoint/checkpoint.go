// Package checkpoint keeps the state of a long computation in a file. The idea: a file
// that is whole whenever the process dies, and that says which computation it is of, so
// that no other goes on from it.
package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Format begins the first line of a file. Two hashes in hexadecimal follow: the identity of
// the computation, and that of the rest of the file, which is the state in the encoding of
// package gob, to the last bit of every number.
type Format string

// Load decodes the named file into state and reports whether there is such a file. The
// error says what is wrong with a file: another format, damage, another identity.
func (f Format) Load(name, identity string, state any) (found bool, err error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	line, rest, _ := strings.Cut(string(text), "\n")
	head, hashes, _ := strings.Cut(line, ": ")
	whose, sum, _ := strings.Cut(hashes, " ")
	switch {
	case head != string(f):
		return false, fmt.Errorf("it does not begin with %q", f)
	case sum != hash(rest):
		return false, errors.New("it is damaged")
	case whose != identity:
		return false, errors.New("it belongs to a run with other data, start or options")
	}
	return true, gob.NewDecoder(strings.NewReader(rest)).Decode(state)
}

// Save makes state the content of the named file, which is replaced by renaming.
func (f Format) Save(name, identity string, state any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(state); err != nil {
		return err
	}
	return replace(name, fmt.Appendf(nil, "%s: %s %s\n%s", f, identity, hash(b.String()), b.Bytes()))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// replace makes text the content of the named file, all or nothing.
func replace(name string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".tmp*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(text); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
