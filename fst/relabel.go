package fst

import (
	"fmt"

	"example.org/pathsum/internal/nonnil"
)

// Relabel returns f with other labels: in and out say what becomes of each label of a
// tape, ε among them, and nil leaves a tape as it is. A tape with other labels has no
// names, for those of the old ones do not fit: see FST.WithSymbols. Any ring will do. The
// error wraps ErrInvalid for a label that would be negative. O(arcs).
func Relabel[W any](f *FST[W], in, out func(label int32) int32) (*FST[W], error) {
	nonnil.Check("fst: Relabel", "machine", f)
	tapes := [2][]int32{f.arcs.in, f.arcs.out}
	symbols := [2]*Symbols{f.inSymbols, f.outSymbols}
	for tape, change := range [2]func(int32) int32{in, out} {
		if change == nil {
			continue
		}
		labels := make([]int32, len(tapes[tape]))
		for e, label := range tapes[tape] {
			var err error
			if labels[e], err = relabel(label, change); err != nil {
				return nil, fmt.Errorf("fst: relabel: %w: arc %d: %w", ErrInvalid, e, err)
			}
		}
		tapes[tape], symbols[tape] = labels, nil
	}
	g := f.relabel(tapes[Input], tapes[Output])
	g.inSymbols, g.outSymbols = symbols[Input], symbols[Output]
	return g, nil
}

// relabel returns what becomes of a label, itself if change is nil.
func relabel(label int32, change func(int32) int32) (int32, error) {
	if change == nil {
		return label, nil
	}
	changed := change(label)
	if changed < 0 {
		return 0, fmt.Errorf("label %d becomes %d", label, changed)
	}
	return changed, nil
}
