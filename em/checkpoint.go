package em

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"example.org/pathsum/internal/checkpoint"
)

// ErrCheckpoint is wrapped by errors about a checkpoint file that cannot be
// used.
var ErrCheckpoint = errors.New("bad checkpoint")

// checkpointFormat is that of the file, which holds a saved.
const checkpointFormat checkpoint.Format = "pathsum em checkpoint 2"

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
	var c saved
	found, err := checkpointFormat.Load(t.opts.Checkpoint, t.identity, &c)
	if err == nil && found {
		err = t.restore(&c)
	}
	if errors.As(err, new(*fs.PathError)) {
		return nil, fmt.Errorf("em: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("em: %w: %s: %w", ErrCheckpoint, t.opts.Checkpoint, err)
	}
	if !found {
		return fresh, nil
	}
	return &c.Run, nil
}

// restore gives the starts of c that are under way their methods' memory.
func (t *trainer) restore(c *saved) error {
	for i, s := range c.Run.Starts {
		if s.Ended || len(s.Objective) == 0 {
			continue
		}
		var err error
		if s.ascent, err = t.opts.Method.ascend(t, s); err != nil {
			return err
		}
		state := s.ascent.state()
		if state == nil {
			continue
		}
		reflect.ValueOf(state).Elem().SetZero() // gob leaves alone what was zero
		if err := gob.NewDecoder(bytes.NewReader(c.Memory[i])).Decode(state); err != nil {
			return err
		}
	}
	return nil
}

// save writes r, if a checkpoint is wanted. The file is replaced by renaming, so
// that it is whole whenever the process dies.
func (t *trainer) save(r *run) error {
	if t.opts.Checkpoint == "" {
		return nil
	}
	c, err := memorize(r)
	if err == nil {
		err = checkpointFormat.Save(t.opts.Checkpoint, t.identity, c)
	}
	if err != nil {
		return fmt.Errorf("em: checkpoint: %w", err)
	}
	return nil
}

// memorize returns r with the memory of its methods.
func memorize(r *run) (*saved, error) {
	c := &saved{Run: *r, Memory: make([][]byte, len(r.Starts))}
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
	return c, nil
}
