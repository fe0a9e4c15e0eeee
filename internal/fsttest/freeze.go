package fsttest

import "example.org/pathsum/fst"

// Freeze expands what an operation has made, unless it has failed.
func Freeze[W any](m fst.Machine[W], err error) (*fst.FST[W], error) {
	if err != nil {
		return nil, err
	}
	return fst.Expand(m, nil)
}

// Frozen expands m, which cannot fail.
func Frozen[W any](m fst.Machine[W]) *fst.FST[W] {
	f, err := fst.Expand(m, nil)
	if err != nil {
		panic(err)
	}
	return f
}
