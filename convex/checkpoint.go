package convex

import (
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"

	"example.org/pathsum/internal/checkpoint"
)

// ErrCheckpoint is wrapped by errors about a checkpoint file that cannot be used.
var ErrCheckpoint = errors.New("bad checkpoint")

// checkpointFormat is that of the file, which holds a savedPart for each part begun.
const checkpointFormat checkpoint.Format = "pathsum convex checkpoint 1"

type savedPart struct {
	Part    partState
	Descent *descentState
}

// identity says what the result depends on, apart from the gap and the limit of
// iterations, which a resumed run may change.
func (r *splittingRun) identity() (string, error) {
	h := sha256.New()
	e := gob.NewEncoder(h)
	for _, v := range []any{r.p.variables, r.p.weights, r.p.ridge, r.Every, r.Set} {
		if err := e.Encode(v); err != nil {
			return "", fmt.Errorf("convex: %w", err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// load takes over the parts in the checkpoint file, if there is one.
func (r *splittingRun) load() (err error) {
	if r.Checkpoint == "" {
		return nil
	}
	if r.whose, err = r.identity(); err != nil {
		return err
	}
	var saved []savedPart
	if _, err := checkpointFormat.Load(r.Checkpoint, r.whose, &saved); err != nil {
		return fmt.Errorf("convex: %w: %s: %w", ErrCheckpoint, r.Checkpoint, err)
	}
	for i, s := range saved {
		x := newPartRun(r.p.parts[i].fresh(), r.Set)
		x.partState = s.Part
		if s.Descent != nil {
			x.descent = newDescent(x.p, x.p.turns[x.Turn], x.points(), r.Set)
			x.descent.descentState = *s.Descent
			for k, t := range x.p.terms {
				t.residual = s.Descent.Residuals[k]
			}
		}
		r.parts = append(r.parts, x)
	}
	return nil
}

// save writes the checkpoint file, if one is wanted.
func (r *splittingRun) save() error {
	if r.Checkpoint == "" {
		return nil
	}
	saved := make([]savedPart, len(r.parts))
	for i, x := range r.parts {
		saved[i].Part = x.partState
		if x.descent != nil {
			s := x.descent.descentState
			for _, t := range x.p.terms {
				s.Residuals = append(s.Residuals, t.residual)
			}
			saved[i].Descent = &s
		}
	}
	if err := checkpointFormat.Save(r.Checkpoint, r.whose, saved); err != nil {
		return fmt.Errorf("convex: checkpoint: %w", err)
	}
	return nil
}
