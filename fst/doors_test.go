package fst_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

type realM = fst.Machine[float64]

// lazyOperations make a machine of one or two others.
var lazyOperations = map[string]func(a, b realM) realM{
	"Compose":       func(a, b realM) realM { return fst.Compose(a, b) },
	"Arena.Compose": func(a, b realM) realM { return fst.NewArena(reals).Compose(a, b) },
	"Intersect":     func(a, b realM) realM { return fst.Intersect(a, b) },
	"Union":         func(a, b realM) realM { return fst.Union(a, b) },
	"Concat":        func(a, b realM) realM { return fst.Concat(a, b) },
	"Difference":    func(a, b realM) realM { return fst.Difference(a, b, nil) },
	"Replace":       func(a, b realM) realM { return fst.Replace(a, map[int32]realM{7: b}, nil) },
	"Star":          func(a, _ realM) realM { return fst.Star(a) },
	"Plus":          func(a, _ realM) realM { return fst.Plus(a) },
	"Optional":      func(a, _ realM) realM { return fst.Optional(a) },
	"Invert":        func(a, _ realM) realM { return fst.Invert(a) },
	"ProjectIn":     func(a, _ realM) realM { return fst.ProjectIn(a) },
	"ProjectOut":    func(a, _ realM) realM { return fst.ProjectOut(a) },
	"Relabel":       func(a, _ realM) realM { return fst.Relabel(a, nil, func(l int32) int32 { return l }) },
	"Map":           func(a, _ realM) realM { return fst.Map(a, reals, func(w float64) float64 { return w }) },
	"RemoveEpsilon": func(a, _ realM) realM { return fst.RemoveEpsilon(a) },
	"Determinize":   func(a, _ realM) realM { return fst.Determinize(a, nil) },
	"Complement":    func(a, _ realM) realM { return fst.Complement(a, []int32{1}, nil) },
	"LookAhead":     func(a, _ realM) realM { return fst.LookAhead(a, fst.Output) },
	"Match":         func(a, _ realM) realM { return fst.Match(a, fst.Matching{Any: 9}) },
	"Synchronize":   func(a, _ realM) realM { return fst.Synchronize(a, nil) },
}

// binary are the lazy operations of two machines.
var binary = map[string]bool{"Compose": true, "Arena.Compose": true, "Intersect": true, "Union": true, "Concat": true, "Difference": true, "Replace": true}

// computingOperations return the error of an operation that computes, on one or two machines.
var computingOperations = map[string]func(a, b realM) error{
	"Apply":     func(a, _ realM) error { return firstError(fst.Apply(a, []int32{1}, nil)) },
	"ApplyText": func(a, _ realM) error { return firstError(fst.ApplyText(a, "a", nil)) },
	"Arena.Apply": func(a, _ realM) error {
		return firstError(fst.NewArena(reals).Apply(a, []int32{1}, nil))
	},
	"Arena.Expand":       func(a, _ realM) error { return second(fst.NewArena(reals).Expand(a, nil)) },
	"Arena.Weight":       func(a, _ realM) error { return second(fst.NewArena(reals).Weight(a, nil, nil, nil)) },
	"ArcSortIn":          func(a, _ realM) error { return second(fst.ArcSortIn(a, nil)) },
	"ArcSortOut":         func(a, _ realM) error { return second(fst.ArcSortOut(a, nil)) },
	"BestPaths":          func(a, _ realM) error { return second(fst.BestPaths(a, 1, nil)) },
	"BestText":           func(a, _ realM) error { return second(fst.BestText(a, "a", nil)) },
	"Codec.Decode":       func(a, _ realM) error { return second(labelCodec().Decode(a, nil)) },
	"Codec.Encode":       func(a, _ realM) error { return second(labelCodec().Encode(a, nil)) },
	"Connect":            func(a, _ realM) error { return second(fst.Connect(a, nil)) },
	"DeterminizeAll":     func(a, _ realM) error { return second(fst.DeterminizeAll(a, nil)) },
	"DeterminizeBest":    func(a, _ realM) error { return second(fst.DeterminizeBest(a, nil)) },
	"Disambiguate":       func(a, _ realM) error { return second(fst.Disambiguate(a, nil)) },
	"DisambiguateBest":   func(a, _ realM) error { return second(fst.DisambiguateBest(a, nil)) },
	"Equal":              func(a, b realM) error { return second(fst.Equal(a, b, nil)) },
	"Equivalent":         func(a, b realM) error { return second(fst.Equivalent(a, b, nil)) },
	"Expand":             func(a, _ realM) error { return second(fst.Expand(a, nil)) },
	"ExpandWithin":       func(a, _ realM) error { return second(fst.ExpandWithin(context.Background(), a, 1, nil)) },
	"Isomorphic":         func(a, b realM) error { return second(fst.Isomorphic(a, b, nil)) },
	"MergeBisimilar":     func(a, _ realM) error { return second(fst.MergeBisimilar(a, nil)) },
	"Minimize":           func(a, _ realM) error { return second(fst.Minimize(a, nil)) },
	"NewSampler":         func(a, _ realM) error { return second(fst.NewSampler(a, nil)) },
	"NormalizeEpsilon":   func(a, _ realM) error { return second(fst.NormalizeEpsilon(a, fst.Input, nil)) },
	"Optimize":           func(a, _ realM) error { return second(fst.Optimize(a, nil)) },
	"PathSum":            func(a, _ realM) error { return second(fst.PathSum(a, nil)) },
	"PruneArcs":          func(a, _ realM) error { return second(fst.PruneArcs(a, func(float64) bool { return true }, nil)) },
	"PruneBeam":          func(a, _ realM) error { return second(fst.PruneBeam(a, 1, nil)) },
	"PrunePosterior":     func(a, _ realM) error { return second(fst.PrunePosterior(a, .5, nil)) },
	"PushLabels":         func(a, _ realM) error { return second(fst.PushLabels(a, fst.TowardInitial, nil)) },
	"PushWeights":        func(a, _ realM) error { return second(fst.PushWeights(a, fst.TowardInitial, nil)) },
	"Quotient":           func(a, _ realM) error { return second(fst.Quotient(a, nil, nil)) },
	"RandomlyEquivalent": func(a, b realM) error { return second(fst.RandomlyEquivalent(a, b, rand.NewPCG(1, 2), 1, nil)) },
	"Renumber":           func(a, _ realM) error { return second(fst.Renumber(a, nil, nil)) },
	"Reverse":            func(a, _ realM) error { return second(fst.Reverse(a, nil)) },
	"SampleText":         func(a, _ realM) error { return second(fst.SampleText(a, "a", rand.NewPCG(1, 2), nil)) },
	"ShortestPaths":      func(a, _ realM) error { return second(fst.ShortestPaths(a, 1, nil)) },
	"ShortestStrings":    func(a, _ realM) error { return second(fst.ShortestStrings(a, 1, nil)) },
	"TopSort":            func(a, _ realM) error { return second(fst.TopSort(a, nil)) },
	"Unambiguous":        func(a, _ realM) error { return second(fst.Unambiguous(a, nil)) },
	"Uniform":            func(a, _ realM) error { return second(fst.Uniform(a, nil)) },
	"Weight":             func(a, _ realM) error { return second(fst.Weight(a, nil, nil, nil)) },
}

func labelCodec() *fst.Codec[float64] { return must2(fst.NewCodec(reals, fst.Labels)) }

// firstError returns the first error of an iterator.
func firstError[T any](all iter.Seq2[T, error]) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// untouched is a machine that nobody is to read.
type untouched struct {
	t    *testing.T
	what string
}

func (u untouched) Semiring() semiring.Semiring[float64] { return reals }
func (u untouched) AppendStarts(dst []fst.Start[float64]) []fst.Start[float64] {
	u.t.Errorf("%s: read beside a machine that has failed", u.what)
	return dst
}
func (u untouched) Final(int32) float64                                           { return 0 }
func (u untouched) AppendArcs(dst []fst.Arc[float64], _ int32) []fst.Arc[float64] { return dst }

// failing returns a machine that an operation refused to make.
func failing() realM {
	return fst.Compose(fst.FromString(reals, []int32{1}), fst.FromString(plain, []int32{1}))
}

var plain = semiring.Semiring[float64](plainReals{})

// A lazy operation on a machine that has failed returns its error, again and again, and reads
// none of its operands.
func TestLazyOperationsOnFailedMachines(t *testing.T) {
	for name, shape := range exported(t) {
		if operation := lazyOperations[name]; (operation != nil) != (shape == lazyShape) {
			t.Errorf("%s is %s, and in the table of lazy operations: %t", name, shape, operation != nil)
		}
	}
	for name, operation := range lazyOperations {
		bad := failing()
		want := fst.Err(bad)
		results := []realM{operation(bad, untouched{t, name})}
		if binary[name] {
			results = append(results, operation(untouched{t, name}, bad))
		}
		for place, m := range results {
			if err := fst.Err(m); err != want || !errors.Is(err, fst.ErrMismatch) {
				t.Errorf("%s, place %d: error %v, want that of Compose: %v", name, place, err, want)
			}
			again := fst.Union(fst.Star(operation(m, untouched{t, name})), untouched{t, name})
			if err := fst.Err(again); err != want || strings.Count(err.Error(), "fst: ") != 1 || strings.Count(err.Error(), "Compose") != 1 {
				t.Errorf("%s, place %d, operations later: %v, want %v", name, place, err, want)
			}
			if f, err := fst.Expand(again, nil); f != nil || err != want {
				t.Errorf("%s, place %d, expanded: %v, %v", name, place, f, err)
			}
			if starts := again.AppendStarts(nil); len(starts) != 0 || again.Semiring() != reals {
				t.Errorf("%s, place %d: a failed machine has starts %v and the ring %v", name, place, starts, again.Semiring())
			}
		}
	}
}

// An operation that computes returns the error of a machine that has failed as it is, and reads
// none of its operands.
func TestComputingOperationsOnFailedMachines(t *testing.T) {
	for name, shape := range exported(t) {
		if operation := computingOperations[name]; (operation != nil) != (shape == computingShape) {
			t.Errorf("%s is %s, and in the table of operations that compute: %t", name, shape, operation != nil)
		}
	}
	comparisons := map[string]bool{"Equal": true, "Equivalent": true, "Isomorphic": true, "RandomlyEquivalent": true}
	for name, operation := range computingOperations {
		bad := failing()
		if err := operation(bad, untouched{t, name}); err != fst.Err(bad) {
			t.Errorf("%s: %v, want %v", name, err, fst.Err(bad))
		}
		if !comparisons[name] {
			continue
		}
		if err := operation(untouched{t, name}, bad); err != fst.Err(bad) {
			t.Errorf("%s, second machine: %v, want %v", name, err, fst.Err(bad))
		}
	}
}

// refusal is what an operation makes that cannot be applied.
type refusal struct {
	err, expanded, later error // of the machine, of Expand, and of an operation on it
	starts               int
}

func refusalOf[W any](m fst.Machine[W]) refusal {
	return refusal{fst.Err(m), second(fst.Expand(m, nil)), fst.Err(fst.Optional(fst.Plus(m))), len(m.AppendStarts(nil))}
}

// The error of a lazy operation or a constructor that cannot be applied names it once, with its
// operands, and the cause.
func TestLazyOperationsNameThemselves(t *testing.T) {
	one, pair := fst.FromString(reals, []int32{1}), fst.FromPair(reals, []int32{1}, []int32{2})
	other := fst.FromString(plain, []int32{1})
	words := fst.FromString(semiring.LeftString{}, []int32{1})
	loose := fst.FromString(semiring.Semiring[series](fsttest.Traces{Max: 3}), []int32{1})
	edits := fst.Edits[float64]{Keep: 1}
	for _, x := range []struct {
		text string
		refusal
		cause error
	}{
		{"fst: Compose(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Machine[float64](fst.Compose(one, other))), fst.ErrMismatch},
		{"fst: Compose(Star, 2 states and 1 arc): ", refusalOf(fst.Machine[float64](fst.Compose(fst.Star(opaque(one)), other))), fst.ErrMismatch},
		{"fst: Compose(Intersect, 2 states and 1 arc): ", refusalOf(fst.Machine[float64](fst.Compose(fst.Intersect(one, one), other))), fst.ErrMismatch},
		{"fst: Compose(fsttest.Opaque[float64], 2 states and 1 arc): ", refusalOf(fst.Machine[float64](fst.Compose(opaque(one), other))), fst.ErrMismatch},
		{"fst: Compose(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Machine[series](fst.Compose(loose, loose))), semiring.ErrCapability},
		{"fst: Intersect(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Machine[float64](fst.Intersect(one, pair))), fst.ErrInvalid},
		{"fst: Union(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Union(one, other)), fst.ErrMismatch},
		{"fst: Concat(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Concat(one, other)), fst.ErrMismatch},
		{"fst: RemoveEpsilon(2 states and 1 arc): ", refusalOf(fst.RemoveEpsilon(words)), semiring.ErrCapability},
		{"fst: Determinize(2 states and 1 arc): ", refusalOf(fst.Determinize(other, nil)), semiring.ErrCapability},
		{"fst: Difference(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Difference(one, pair, nil)), fst.ErrInvalid},
		{"fst: Complement(2 states and 1 arc): ", refusalOf(fst.Complement(one, []int32{0}, nil)), fst.ErrInvalid},
		{"fst: Match(2 states and 1 arc): ", refusalOf(fst.Match(one, fst.Matching{Any: -1})), fst.ErrInvalid},
		{"fst: Replace(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Replace(one, map[int32]realM{0: one}, nil)), fst.ErrInvalid},
		{"fst: FromArcs: ", refusalOf(fst.FromArcs(reals, nil, []fst.Arc[float64]{{In: -1, Weight: 1}})), fst.ErrInvalid},
		{"fst: OneState: ", refusalOf(fst.OneState(reals, 1, fst.Arc[float64]{To: 1, Weight: 1})), fst.ErrInvalid},
		{"fst: StringMap: ", refusalOf(fst.StringMap(reals, []fst.Path[float64]{{Weight: math.NaN()}})), fst.ErrInvalid},
		{"fst: UTF8: ", refusalOf(fst.UTF8(reals, []rune{0})), fst.ErrInvalid},
		{"fst: Edits.Machine: ", refusalOf(edits.Machine(reals, []int32{0}, nil)), fst.ErrInvalid},
		{"fst: Edits.Within: ", refusalOf(edits.Within(reals, nil, nil, -1)), fst.ErrInvalid},
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(x.text, "fst: "), "(")
		name = strings.TrimSuffix(name, ": ")
		if !errors.Is(x.err, x.cause) || !strings.HasPrefix(x.err.Error(), x.text) || strings.Count(x.err.Error(), name) != 1 || strings.Count(x.err.Error(), "fst: ") != 1 {
			t.Errorf("error %v, want %q and then %v", x.err, x.text, x.cause)
		}
		if x.expanded != x.err || x.later != x.err || x.starts != 0 {
			t.Errorf("%v: Expand returns %v, and a later operation has %v", x.err, x.expanded, x.later)
		}
	}
}
