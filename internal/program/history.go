package program

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/saved"
)

// historyFormat names the format of the file beside a checkpoint, which holds notes.
const historyFormat saved.Format = "pathsum history 3"

// historyOf is the identity in the file. Whose history it is its objectives say.
const historyOf = "iterations"

// History holds what an observer notes of each iteration, so that a program that goes on
// from a checkpoint knows it of the iterations before, too. It is kept in a file with
// .history behind the checkpoint's name, which Note writes before the checkpoint of the
// iteration is written.
type History struct {
	file  string // "": in memory only
	notes []note
}

// note is what was noted of an iteration with this objective, which is NaN if there was no
// note.
type note struct {
	Objective float64
	Values    []float64
}

// NewHistory returns the history beside a checkpoint, "" if there is none, as far as it has
// come.
func NewHistory(checkpoint string) (*History, error) {
	h := new(History)
	if checkpoint == "" {
		return h, nil
	}
	h.file = historyFile(checkpoint)
	if _, err := historyFormat.Load(h.file, historyOf, &h.notes); err != nil {
		return nil, fmt.Errorf("%s: %w", h.file, err)
	}
	return h, nil
}

// historyFile returns the name of the file of the history beside a checkpoint.
func historyFile(checkpoint string) string { return checkpoint + ".history" }

// Note notes values of an iteration, counted from 0. What was noted of later ones, in
// another run, is forgotten.
func (h *History) Note(iteration int, objective float64, values ...float64) error {
	for len(h.notes) < iteration {
		h.notes = append(h.notes, note{Objective: math.NaN()})
	}
	h.notes = append(h.notes[:iteration], note{objective, slices.Clone(values)})
	if h.file == "" {
		return nil
	}
	if err := historyFormat.Save(h.file, historyOf, h.notes); err != nil {
		return fmt.Errorf("%s: %w", h.file, err)
	}
	return nil
}

// Of returns what was noted of an iteration with that objective; nil if nothing was, or if
// the objective is another, so that it is the history of another run.
func (h *History) Of(iteration int, objective float64) []float64 {
	if iteration < len(h.notes) && h.notes[iteration].Objective == objective {
		return h.notes[iteration].Values
	}
	return nil
}
