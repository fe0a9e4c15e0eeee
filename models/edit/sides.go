package edit

import (
	"cmp"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
)

// side is what is known of the source of a pair, in labels of contexts: a string or, if it is
// not nil, a set.
type side struct {
	labels []int32
	set    *machine
}

// sides returns what is known of the sources. The labels of strings are looked up; those of
// sets are what the reader makes of them, which would be slower for strings.
func (t *trainer) sides(data []Pair) ([]side, error) {
	out := make([]side, len(data))
	var read *machine
	known := map[*machine]*machine{} // of a set, its labels
	for i, d := range data {
		switch {
		case d.Weight.Float64() == 0:
			continue // the others keep their numbers
		case d.Source != nil && d.Sources != nil || d.Target != nil && d.Targets != nil:
			return nil, nested.Errorf("edit: %w: pair %d has both a string and a set of strings", ErrInvalid, i)
		case d.Sources == nil:
			var ok bool
			if out[i].labels, ok = t.contexts.labels(d.Source); !ok {
				return nil, nested.Errorf("edit: %w: source %d has a symbol that is not in the alphabet", ErrInvalid, i)
			}
			continue
		}
		var err error
		if read == nil {
			if read, err = reader(t.contexts, scaled, machines.Scaled); err != nil {
				return nil, err
			}
		}
		if known[d.Sources] == nil {
			if known[d.Sources], err = labelsOf(d.Sources, read); err != nil {
				return nil, nested.Errorf("edit: sources %d: %w", i, err)
			}
		}
		out[i].set = known[d.Sources]
	}
	return out, nil
}

// labelsOf returns the acceptor of the labels of a set.
func labelsOf(set, read *machine) (*machine, error) {
	return machines.Scaled.Connect(machines.Scaled.ProjectOut(machines.Scaled.Compose(set, read)), nil)
}

// asExamples returns the data of a model with the parameters p.
func asExamples(p *em.Params, data []Pair, sources []side) ([]cascade.Example, error) {
	out := make([]cascade.Example, len(data))
	sets := map[*machine]cascade.Side{}
	known := func(labels []int32, set *machine) cascade.Side {
		if set == nil {
			return cascade.Labels(labels...)
		}
		if _, ok := sets[set]; !ok {
			sets[set] = cascade.Set(cascade.Constants(p, set))
		}
		return sets[set]
	}
	for i, d := range data {
		out[i].Weight = d.Weight
		if d.Weight.Float64() == 0 {
			continue
		}
		out[i].X, out[i].Y = known(sources[i].labels, sources[i].set), known(d.Target, d.Targets)
		if err := cmp.Or(out[i].X.Err(), out[i].Y.Err()); err != nil {
			return nil, nested.Errorf("edit: pair %d: %w", i, err)
		}
	}
	return out, nil
}
