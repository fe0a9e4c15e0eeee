package fst_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

type (
	costFST     = *fst.FST[semiring.Cost]
	costMachine = fst.Machine[semiring.Cost]
)

// labelCase is what an operation gets: machines whose labels are names(0), names(1), …,
// which ascend.
type labelCase struct {
	t     *testing.T
	f, g  costFST // transducers
	p, q  costFST // acceptors
	dag   costFST // an acyclic acceptor
	names func(label int32) int32
}

func (x labelCase) alphabet(n int32) []int32 {
	var all []int32
	for l := int32(1); l <= n; l++ {
		all = append(all, x.names(l))
	}
	return all
}

// labelOperations are operations of this package and of fstio that look at labels.
var labelOperations = map[string]func(x labelCase) (costFST, error){
	"Compose": func(x labelCase) (costFST, error) { return fst.Expand(fst.Compose(x.f, x.g), nil) },
	"Compose lazy": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Compose(fst.Compose(opaque(x.f), x.g), opaque(x.p)), nil)
	},
	"Intersect":  func(x labelCase) (costFST, error) { return fst.Expand(fst.Intersect(x.p, x.q), nil) },
	"Difference": func(x labelCase) (costFST, error) { return fst.Expand(fst.Difference(x.p, x.q, nil), nil) },
	"Complement": func(x labelCase) (costFST, error) { return fst.Expand(fst.Complement(x.p, x.alphabet(3), nil), nil) },
	"LookAhead, left": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Compose(fst.LookAhead(x.f, fst.Output), x.g), nil)
	},
	"LookAhead, right": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Compose(x.f, fst.LookAhead(x.g, fst.Input)), nil)
	},
	"Match": func(x labelCase) (costFST, error) {
		m := fst.Match(x.f, fst.Matching{Tape: fst.Output, Any: x.names(2), Rest: x.names(3), Alphabet: x.alphabet(1)})
		return fst.Expand(fst.Compose(m, x.g), nil)
	},
	"Match, failure": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Match(x.dag, fst.Matching{Any: x.names(1), Alphabet: []int32{x.names(3), x.names(2)}}), nil)
	},
	"Union":          func(x labelCase) (costFST, error) { return fst.Expand(fst.Union(x.f, x.g), nil) },
	"Concat":         func(x labelCase) (costFST, error) { return fst.Expand(fst.Concat(x.f, x.g), nil) },
	"Star":           func(x labelCase) (costFST, error) { return fst.Expand(fst.Star(x.f), nil) },
	"Reverse":        func(x labelCase) (costFST, error) { return fst.Reverse(x.f, nil) },
	"Invert":         func(x labelCase) (costFST, error) { return fst.Expand(fst.Invert(x.f), nil) },
	"ArcSortIn":      func(x labelCase) (costFST, error) { return fst.ArcSortIn(x.f, nil) },
	"ArcSortOut":     func(x labelCase) (costFST, error) { return fst.ArcSortOut(x.f, nil) },
	"ProjectOut":     func(x labelCase) (costFST, error) { return fst.Expand(fst.ProjectOut(x.f), nil) },
	"RemoveEpsilon":  func(x labelCase) (costFST, error) { return fst.Expand(fst.RemoveEpsilon(x.f), nil) },
	"Normalize":      func(x labelCase) (costFST, error) { return fst.NormalizeEpsilon(x.f, fst.Input, nil) },
	"Determinize":    func(x labelCase) (costFST, error) { return fst.Expand(fst.Determinize(x.dag, nil), nil) },
	"DeterminizeAll": func(x labelCase) (costFST, error) { return fst.DeterminizeAll(x.dag, nil) },
	"DeterminizeBest": func(x labelCase) (costFST, error) {
		return fst.DeterminizeBest(fst.Compose(x.dag, x.g), nil)
	},
	"Disambiguate": func(x labelCase) (costFST, error) { return fst.Disambiguate(x.dag, nil) },
	"PushWeights":  func(x labelCase) (costFST, error) { return fst.PushWeights(x.f, fst.TowardInitial, nil) },
	"PushLabels":   func(x labelCase) (costFST, error) { return fst.PushLabels(x.f, fst.TowardInitial, nil) },
	"Minimize": func(x labelCase) (costFST, error) {
		return fst.Minimize(fst.Determinize(x.dag, nil), nil)
	},
	"MergeBisimilar": func(x labelCase) (costFST, error) { return fst.MergeBisimilar(x.f, nil) },
	"Optimize":       func(x labelCase) (costFST, error) { return fst.Optimize(x.dag, nil) },
	"Codec": func(x labelCase) (costFST, error) {
		c := must(fst.NewCodec(costs, fst.Labels|fst.Weights))(x.t)
		return c.Decode(must(c.Encode(x.f, nil))(x.t), nil)
	},
	"Synchronize": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Synchronize(fst.Compose(x.dag, x.g), small), nil)
	},
	"Replace": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Replace(x.f, map[int32]costMachine{x.names(3): x.p}, &fst.Calls{Depth: 3}), nil)
	},
	"TopSort":         func(x labelCase) (costFST, error) { return fst.TopSort(x.dag, nil) },
	"ShortestPaths":   func(x labelCase) (costFST, error) { return fst.ShortestPaths(x.f, 20, nil) },
	"ShortestStrings": func(x labelCase) (costFST, error) { return fst.ShortestStrings(x.dag, 20, nil) },
	"PruneBeam":       func(x labelCase) (costFST, error) { return fst.PruneBeam(x.f, 1, nil) },
	"ExpandWithin": func(x labelCase) (costFST, error) {
		return fst.ExpandWithin(context.Background(), fst.Compose(x.f, x.g), 1, nil)
	},
	"Quotient": func(x labelCase) (costFST, error) {
		return fst.Quotient(x.f, make([]int32, x.f.NumStates()), nil)
	},
	"Edits": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.Edits[semiring.Cost]{Replace: 1, Delete: 1, Insert: 1}.Within(costs, x.alphabet(3), x.alphabet(2), 2), nil)
	},
	"StringMap": func(x labelCase) (costFST, error) {
		return fst.Expand(fst.StringMap(costs, []fst.Path[semiring.Cost]{{In: x.alphabet(3), Out: x.alphabet(2)}, {In: x.alphabet(2), Out: x.alphabet(1)}}), nil)
	},
	"Apply": func(x labelCase) (costFST, error) {
		var paths []fst.Path[semiring.Cost]
		for p, err := range fst.Apply(x.f, x.alphabet(2), nil) {
			if err != nil || len(paths) == 5 {
				break
			}
			paths = append(paths, p)
		}
		return fst.Expand(fst.StringMap(costs, paths), nil)
	},
	"Arena": func(x labelCase) (costFST, error) {
		a := fst.NewArena(costs)
		return fst.Connect(a.Compose(a.String(x.alphabet(3)), x.f), nil)
	},
	"text": func(x labelCase) (costFST, error) {
		var b bytes.Buffer
		if err := fstio.WriteText(&b, x.f, nil); err != nil {
			return nil, err
		}
		return fstio.ReadText(&b, costs, nil)
	},
	"binary": func(x labelCase) (costFST, error) {
		var b bytes.Buffer
		if err := fstio.WriteBinary(&b, x.f, nil); err != nil {
			return nil, err
		}
		return fstio.ReadBinary(&b, costs)
	},
	"DOT and String": func(x labelCase) (costFST, error) {
		var b bytes.Buffer
		_ = x.f.String()
		return x.f, fstio.WriteDOT(&b, x.f, nil)
	},
	"comparison": func(x labelCase) (costFST, error) {
		d := must(fst.Expand(fst.RemoveEpsilon(fst.Determinize(x.dag, nil)), nil))(x.t)
		same, err := fst.Equivalent(d, must(fst.Minimize(d, nil))(x.t), nil)
		if err == nil && !same {
			err = fmt.Errorf("minimization changes it")
		}
		if err == nil {
			same, err = fst.RandomlyEquivalent(x.f, x.f, fsttest.Rand(1), 5, nil)
		}
		if err == nil {
			same, err = fst.Isomorphic(d, d, nil)
		}
		if err == nil && !same {
			err = fmt.Errorf("a machine is not what it is")
		}
		return d, err
	},
}

// Every operation takes labels up to 2³¹−1 as it takes small ones: the result is the
// same, and memory does not depend on how great labels are.
func TestGreatLabels(t *testing.T) {
	great := []int32{0, 5, 2_000_000_000, math.MaxInt32}
	rename := func(label int32) int32 { return great[label] }
	for seed := range trials.Seeds(12) {
		r := fsttest.Rand(seed)
		one := func(acyclic bool) costFST {
			return weighted(r, costs, fsttest.Shape{States: 5, Arcs: 12, Labels: 3, Epsilon: .2, Acyclic: acyclic},
				func() semiring.Cost { return semiring.Cost(r.IntN(16)) / 8 })
		}
		plain := labelCase{t: t, f: one(false), g: one(false), p: fsttest.Frozen(fst.ProjectIn(one(false))), names: func(l int32) int32 { return l }}
		plain.q = must(fst.Expand(fst.RemoveEpsilon(fst.ProjectIn(one(true))), nil))(t)
		plain.dag = must(fst.Expand(fst.RemoveEpsilon(fst.ProjectIn(one(true))), nil))(t)
		named := func(f costFST) costFST { return must(fst.Expand(fst.Relabel(f, rename, rename), nil))(t) }
		large := labelCase{t: t, f: named(plain.f), g: named(plain.g), p: named(plain.p), q: named(plain.q), dag: named(plain.dag), names: rename}
		for name, operation := range labelOperations {
			var got, want costFST
			var err, errWant error
			usual := memtest.Allocated(func() { want, errWant = operation(plain) })
			if memory := memtest.Allocated(func() { got, err = operation(large) }); memory > 8<<20+2*usual {
				t.Errorf("seed %d, %s: %d bytes are allocated, %d for small labels", seed, name, memory, usual)
			}
			if (err == nil) != (errWant == nil) {
				t.Errorf("seed %d, %s: %v, with small labels %v", seed, name, err, errWant)
				continue
			}
			if err != nil {
				continue
			}
			if same, err := fst.Equal(got, named(want), nil); err != nil || !same {
				t.Errorf("seed %d, %s: another machine (%v)\n%s\nwith small labels\n%s", seed, name, err, got, named(want))
			}
		}
	}
}
