package crf

import (
	"fmt"
	"io"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/moments/counts"
	"example.org/pathsum/semiring"
)

// CountConstraint returns the constraint that sequences have the counts of annotations, whose label
// b is names[b]. It gives the marginal likelihood of counts by annotators (Raghunathan et al. 2016,
// §4). A sequence with several annotations satisfies all of them; a sequence without annotations
// may have any labels. If the counts of a sequence require a label that the model lacks, the
// sequence has no labeling, and Constraint.Underivable applies. The caller sets Width and
// Underivable.
//
// The error wraps ErrInvalid and contains the number of the annotation if its sequence or region
// does not exist, a label has no name, or counts.New rejects its counts.
func (l *Likelihood) CountConstraint(names []string, annotations []counts.Annotation) (Constraint, error) {
	d := l.data
	of := make([][]counts.Annotation, d.NumSequences())
	for i, a := range annotations {
		if a.Sequence < 0 || a.Sequence >= len(of) {
			return Constraint{}, nested.Errorf("crf: %w: annotation %d of sequence %d, want one of %d", ErrInvalid, i, a.Sequence, len(of))
		}
		if _, err := counts.Automaton(semiring.Scaled{}, len(names), d.length(a.Sequence), a); err != nil {
			return Constraint{}, nested.Errorf("crf: annotation %d: %w", i, err)
		}
		of[a.Sequence] = append(of[a.Sequence], a)
	}
	return Constraint{
		Labelings: func(i int) (fst.Machine[semiring.ScaledFloat], error) {
			all := l.anything()
			for k, a := range of[i] {
				m, err := l.having(names, a)
				if err != nil {
					return nil, err
				}
				if k > 0 {
					m = machines.Scaled.Intersect(all, m)
				}
				all = m
			}
			return all, nil
		},
		Fingerprint: func(w io.Writer) { fmt.Fprintf(w, "counted %q %v\n", names, annotations) },
	}, nil
}

// length returns the number of positions of sequence i.
func (d *Data) length(i int) int { return d.first[i+1] - d.first[i] }

// anything accepts all labelings.
func (l *Likelihood) anything() fst.Machine[semiring.ScaledFloat] {
	one := semiring.NewScaled(1)
	var arcs []fst.Arc[semiring.ScaledFloat]
	for y := range int32(l.labels.len()) {
		arcs = append(arcs, fst.Arc[semiring.ScaledFloat]{In: 1 + y, Out: 1 + y, Weight: one})
	}
	return machines.Scaled.OneState(semiring.Scaled{}, one, arcs...)
}

// having accepts the labelings with the counts of a, with the model's label numbers.
func (l *Likelihood) having(names []string, a counts.Annotation) (fst.Machine[semiring.ScaledFloat], error) {
	of := counts.Annotation{Lo: a.Lo, Hi: a.Hi}
	others := a.Hi - a.Lo // positions with other labels
	for k, b := range a.Labels {
		if y, ok := l.labels.number[names[b]]; ok {
			of.Labels, of.Counts = append(of.Labels, int(y)), append(of.Counts, a.Counts[k])
		} else if a.Counts[k] > 0 {
			return l.nothing(), nil
		}
		others -= a.Counts[k]
	}
	switch {
	case len(of.Labels) == 0:
		return l.anything(), nil
	case len(of.Labels) == l.labels.len() && others > 0:
		return l.nothing(), nil
	}
	return counts.Automaton(semiring.Scaled{}, l.labels.len(), l.data.length(a.Sequence), of)
}

// nothing accepts only the empty labeling, so a sequence with positions has no labeling.
func (l *Likelihood) nothing() fst.Machine[semiring.ScaledFloat] {
	return machines.Scaled.FromString(semiring.Scaled{}, nil)
}
