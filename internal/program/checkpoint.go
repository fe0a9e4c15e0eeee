package program

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Checkpoint declares -checkpoint, the name of a file: see Run.Checkpoint.
func (p *Program) Checkpoint() {
	p.state = p.Flags.String("checkpoint", "", "keep the state of training in `FILE` after each iteration, and go on from it if it exists; it is removed at the end")
}

// Checkpoint returns the name of the checkpoint of a stage of training that begins: that of
// -checkpoint and the parts, with dots between, but for parts that are 0 or empty. It is empty
// without the flag. The file and the history beside it are removed when the program has done its
// work, and the user of a program that is interrupted is told what they keep. Where a model keeps
// more files beside its checkpoint, a call for each makes them known.
func (r *Run) Checkpoint(parts ...any) string {
	name := beside(r.program.checkpoint(), parts...)
	if name == "" {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.states = append(r.states, stateOf(name))
	return name
}

// beside returns the name of a file beside a checkpoint: the name and the parts, with dots between,
// but for parts that are 0 or empty. It is empty if the name is.
func beside(checkpoint string, parts ...any) string {
	if checkpoint == "" {
		return ""
	}
	for _, part := range parts {
		if text := fmt.Sprint(part); text != "" && part != 0 {
			checkpoint += "." + text
		}
	}
	return checkpoint
}

// state is a file of a checkpoint as it was when the last iteration was seen; info is nil if there
// was none.
type state struct {
	name  string
	info  os.FileInfo
	keeps string // the iteration that it has, "" if this run has not seen it
}

// stateOf returns the state as it is now.
func stateOf(name string) state {
	info, err := os.Stat(name)
	if err != nil {
		return state{name: name}
	}
	return state{name: name, info: info}
}

// reaches notes that training has come to an iteration, whose state is to be written next.
func (r *Run) reaches(iteration string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, s := range r.states {
		now := stateOf(s.name)
		if now.keeps = s.keeps; s.replaced(now) {
			now.keeps = r.reached
		}
		r.states[i] = now
	}
	r.reached = iteration
}

// replaced reports whether the file is another one now.
func (s state) replaced(now state) bool { return now.info != nil && !os.SameFile(s.info, now.info) }

// interrupted returns an error that says that the run was interrupted, and what its checkpoints
// keep: the iteration last seen, if one was replaced since, or the one before.
func (r *Run) interrupted() error {
	keeps := func(name, iteration string) error {
		return fmt.Errorf("interrupted: %s keeps the training up to %s; the same command goes on from there", name, iteration)
	}
	kept := errors.New("interrupted")
	for _, s := range r.states {
		now := stateOf(s.name)
		switch {
		case now.info == nil:
		case r.reached != "" && s.replaced(now):
			return keeps(s.name, r.reached)
		case s.keeps != "":
			kept = keeps(s.name, s.keeps)
		default:
			kept = fmt.Errorf("interrupted: -checkpoint %s keeps the training as far as it has come; the same command goes on from there", r.program.checkpoint())
		}
	}
	return kept
}

// removeStates removes the checkpoints of the run and the histories beside them. Of a link the
// file behind it is removed, too. Another file of such a name, which this run may not have read,
// is left.
func (r *Run) removeStates() error {
	for _, s := range r.states {
		for _, name := range []string{s.name, historyFile(s.name)} {
			file, err := filepath.EvalSymlinks(name)
			if err == nil && isState(file) {
				err = errors.Join(remove(file), remove(name))
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("-checkpoint: all is done, but its file is left: %w", err)
			}
		}
	}
	return nil
}

// stateFormats are what the files of a training begin with.
var stateFormats = []string{"pathsum em checkpoint ", "pathsum align own counts ", "pathsum history "}

// isState reports whether a file is one of a training.
func isState(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 32))
	is := func(format string) bool { return strings.HasPrefix(string(head), format) }
	return err == nil && slices.ContainsFunc(stateFormats, is)
}

// remove removes a file, if there is one.
func remove(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
