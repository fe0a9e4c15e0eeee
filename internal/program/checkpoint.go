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

// Checkpoint returns the name of the checkpoint of a stage of training that begins: the name of
// -checkpoint and the parts, separated by dots, without parts that are 0 or empty. It is empty
// without the flag. The file and the history next to it are removed when the program has
// finished its work. If the program is interrupted, its user gets a message with their
// contents. If a model keeps more files next to its checkpoint, call Checkpoint for each to
// register it.
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

// beside returns the name of a file next to a checkpoint: the name and the parts, separated by
// dots, without parts that are 0 or empty. It is empty if the name is.
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

// state is a file of a checkpoint at the time of the last observed iteration; info is nil if
// the file did not exist.
type state struct {
	name  string
	info  os.FileInfo
	keeps string // the iteration that it has, "" if this run has not observed it
}

// stateOf returns the current state of a file.
func stateOf(name string) state {
	info, err := os.Stat(name)
	if err != nil {
		return state{name: name}
	}
	return state{name: name, info: info}
}

// reaches records that training has reached an iteration, whose state will be written next.
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

// replaced reports whether the file has been replaced.
func (s state) replaced(now state) bool { return now.info != nil && !os.SameFile(s.info, now.info) }

// interrupted returns an error for the interrupt with the contents of the checkpoints: the last
// observed iteration if the file was replaced since, or the one before.
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

// removeStates removes the checkpoints of the run and the histories next to them. For a link it
// also removes the target. It leaves other files with such a name, which this run may not have
// read.
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

// stateFormats are the beginnings of the files of a training.
var stateFormats = []string{"pathsum em checkpoint ", "pathsum align own counts ", "pathsum history "}

// isState reports whether a file belongs to a training.
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

// remove removes a file if it exists.
func remove(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
