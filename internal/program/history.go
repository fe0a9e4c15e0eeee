package program

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/saved"
)

// historyFormat is the format of the file of notes next to a checkpoint.
const historyFormat saved.Format = "pathsum history 3"

// historyOf is the identity in the file. Its objectives identify the training.
const historyOf = "iterations"

// History holds an observer's notes of each iteration, so that a program that resumes from a
// checkpoint also has the notes of earlier iterations. It is kept in a file with the
// checkpoint's name and the suffix .history, which Note writes before the checkpoint of the
// iteration is written.
type History struct {
	file  string // "": in memory only
	notes []note
}

// note has the notes of an iteration with this objective, which is NaN if there was no note.
type note struct {
	Objective float64
	Values    []float64
}

// NewHistory returns the history next to a checkpoint so far; "" means no file.
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

// historyFile returns the name of the file of the history next to a checkpoint.
func historyFile(checkpoint string) string { return checkpoint + ".history" }

// Note records values for an iteration, counted from 0. It discards the notes of later
// iterations, from another run.
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

// Of returns the notes of an iteration with the given objective. It returns nil without notes,
// or if the objective differs because the history belongs to another run.
func (h *History) Of(iteration int, objective float64) []float64 {
	if iteration < len(h.notes) && h.notes[iteration].Objective == objective {
		return h.notes[iteration].Values
	}
	return nil
}
