package em

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
	"reflect"
	"strings"
)

// ErrCheckpoint is wrapped by errors about a checkpoint file that cannot be
// used.
var ErrCheckpoint = errors.New("bad checkpoint")

// checkpointFormat begins the first line of the file. Two hashes in hexadecimal
// follow: the fingerprint of the run, and that of the rest of the file, which is a
// saved in the encoding of package gob, to the last bit of every number.
const checkpointFormat = "pathsum em checkpoint 2"

// saved is the content of the file.
type saved struct {
	Run    run
	Memory [][]byte // of each start's method
}

// load returns the state in the checkpoint file, or that of a new run if there
// is no file.
func (t *trainer) load() (*run, error) {
	fresh := &run{Starts: make([]*start, 1+t.opts.Restarts)}
	for i := range fresh.Starts {
		fresh.Starts[i] = &start{Status: Canceled}
	}
	if t.opts.Checkpoint == "" {
		return fresh, nil
	}
	t.identity = t.fingerprint()
	text, err := os.ReadFile(t.opts.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return nil, fmt.Errorf("em: %w", err)
	}
	r, err := t.decode(text)
	if err != nil {
		return nil, fmt.Errorf("em: %w: %s: %w", ErrCheckpoint, t.opts.Checkpoint, err)
	}
	return r, nil
}

func (t *trainer) decode(text []byte) (*run, error) {
	line, rest, _ := strings.Cut(string(text), "\n")
	head, hashes, _ := strings.Cut(line, ": ")
	fingerprint, sum, _ := strings.Cut(hashes, " ")
	switch {
	case head != checkpointFormat:
		return nil, fmt.Errorf("it does not begin with %q", checkpointFormat)
	case sum != hash(rest):
		return nil, errors.New("it is damaged")
	case fingerprint != t.identity:
		return nil, errors.New("it belongs to a run with other machines, data, start or options")
	}
	var c saved
	if err := gob.NewDecoder(strings.NewReader(rest)).Decode(&c); err != nil {
		return nil, err
	}
	for i, s := range c.Run.Starts {
		if s.Ended || len(s.Objective) == 0 {
			continue
		}
		var err error
		if s.ascent, err = t.opts.Method.ascend(t, s); err != nil {
			return nil, err
		}
		state := s.ascent.state()
		if state == nil {
			continue
		}
		reflect.ValueOf(state).Elem().SetZero() // gob leaves alone what was zero
		if err := gob.NewDecoder(bytes.NewReader(c.Memory[i])).Decode(state); err != nil {
			return nil, err
		}
	}
	return &c.Run, nil
}

// save writes r, if a checkpoint is wanted. The file is replaced by renaming, so
// that it is whole whenever the process dies.
func (t *trainer) save(r *run) error {
	if t.opts.Checkpoint == "" {
		return nil
	}
	text, err := t.encode(r)
	if err == nil {
		err = replaceFile(t.opts.Checkpoint, text)
	}
	if err != nil {
		return fmt.Errorf("em: checkpoint: %w", err)
	}
	return nil
}

func (t *trainer) encode(r *run) ([]byte, error) {
	c := saved{Run: *r, Memory: make([][]byte, len(r.Starts))}
	for i, s := range r.Starts {
		if s.ascent == nil || s.ascent.state() == nil {
			continue
		}
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(s.ascent.state()); err != nil {
			return nil, err
		}
		c.Memory[i] = b.Bytes()
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s: %s %s\n%s", checkpointFormat, t.identity, hash(b.String()), b.Bytes()), nil
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// replaceFile makes text the content of the named file, all or nothing.
func replaceFile(name string, text []byte) (err error) {
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
