package fsttest

import "example.org/pathsum/fst"

// Frozen expands m, which cannot fail.
func Frozen[W any](m fst.Machine[W]) *fst.FST[W] {
	f, err := fst.Expand(m, nil)
	if err != nil {
		panic(err)
	}
	return f
}
