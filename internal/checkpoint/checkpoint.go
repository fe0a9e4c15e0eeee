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
	"strings"

	"example.org/pathsum/internal/wholefile"
)

// Format begins the first line of a file. Two hashes in hexadecimal follow: of the
// computation's identity, and of the rest of the file. The rest is the state in the encoding
// of package gob, to the last bit of every number.
type Format string

// Load decodes the named file into state and reports whether there is such a file. The
// error says what is wrong with a file: another format, damage, another identity. What a
// process that was killed has left beside the file is removed.
func (f Format) Load(name, identity string, state any) (found bool, err error) {
	if err := wholefile.Clean(name); err != nil {
		return false, err
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return false, errors.New("it is no regular file")
	}
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

// Save makes state the content of the named file, all or nothing: see package wholefile.
func (f Format) Save(name, identity string, state any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(state); err != nil {
		return err
	}
	file, err := wholefile.Create(name)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(file, "%s: %s %s\n%s", f, identity, hash(b.String()), b.Bytes()); err != nil {
		return errors.Join(err, file.Discard())
	}
	return file.Commit()
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
