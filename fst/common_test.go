package fst_test

import (
	"testing"

	"example.org/pathsum/fst"
)

// must returns a function that returns v, or fails the test if there is an error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// determinized is fst.Determinize, all of it.
func determinized[W any](m fst.Machine[W], o *fst.Options) (*fst.FST[W], error) {
	return fst.Expand(fst.Determinize(m, o), nil)
}

// all returns fs as machines.
func all[W any](fs []*fst.FST[W]) []fst.Machine[W] {
	ms := make([]fst.Machine[W], len(fs))
	for i, f := range fs {
		ms[i] = f
	}
	return ms
}
