package fst

import (
	"fmt"
	"slices"
)

// acceptor reports whether every arc writes what it reads.
func (f *FST[W]) acceptor() bool {
	in, out := f.arcs.in, f.arcs.out
	return len(in) == 0 || &in[0] == &out[0] || slices.Equal(in, out)
}

// requireAcceptor returns an error, wrapping ErrInvalid, that names an arc of f that
// does not write what it reads.
func requireAcceptor[W any](what string, f *FST[W]) error {
	if f.acceptor() {
		return nil
	}
	for s := range int32(f.NumStates()) {
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			if x, y := f.arcs.in[e], f.arcs.out[e]; x != y {
				return fmt.Errorf("fst: %s: %w", what, noAcceptor[W](f, s, int(e-f.labels.row[s]), x, y))
			}
		}
	}
	return nil
}

// noAcceptor returns the error for arc i of state s of m.
func noAcceptor[W any](m Machine[W], s int32, i int, in, out int32) error {
	ins, outs := symbolsOf(m)
	return fmt.Errorf("%w: arc %d of state %d reads %s and writes %s, want an acceptor", ErrInvalid, i, s, ins.describe(in), outs.describe(out))
}
