package counts_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
	"example.org/pathsum/moments/counts"
	"example.org/pathsum/semiring"
)

// eachString calls yield for all strings of n of the labels.
func eachString(labels, n int, yield func([]int)) {
	y := make([]int, n)
	var extend func(j int)
	extend = func(j int) {
		if j == n {
			yield(y)
			return
		}
		for y[j] = range labels {
			extend(j + 1)
		}
	}
	extend(0)
}

// The automaton accepts the strings with the counts of the region, by one path each, and no other
// string.
func TestAutomaton(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := random(seed)
		labels, length := 1+r.IntN(3), 1+r.IntN(5)
		lo := r.IntN(length)
		hi := lo + 1 + r.IntN(length-lo)
		a := counts.SimulateSubsets([][]int{make([]int, length)}, labels, 1, 1+r.IntN(labels), r)[0]
		a.Lo, a.Hi = lo, hi
		clear(a.Counts)
		for range hi - lo {
			if k := slices.Index(a.Labels, r.IntN(labels)); k >= 0 {
				a.Counts[k]++
			}
		}
		m := must(counts.Automaton(semiring.Scaled{}, labels, length, a))(t)
		accepted := 0.0
		eachString(labels, length, func(y []int) {
			want := 1.0
			for k, b := range a.Labels {
				n := 0
				for _, v := range y[lo:hi] {
					if v == b {
						n++
					}
				}
				if n != a.Counts[k] {
					want = 0
				}
			}
			var path []int32
			for _, v := range y {
				path = append(path, int32(1+v))
			}
			if got := must(fst.Weight(m, path, path, nil))(t).Float64(); got != want {
				t.Fatalf("seed %d: %+v gives %v the weight %g, want %g", seed, a, y, got, want)
			}
			accepted += want
		})
		if all := must(fst.PathSum(m, nil))(t).Float64(); math.Abs(all-accepted) > 1e-9*accepted {
			t.Fatalf("seed %d: %+v accepts %g strings, want the %g of that length", seed, a, all, accepted)
		}
	}
}

func TestAutomatonErrors(t *testing.T) {
	for name, a := range map[string]counts.Annotation{
		"region": {Lo: 1, Hi: 1, Labels: []int{0}, Counts: []int{0}},
		"length": {Hi: 4, Labels: []int{0}, Counts: []int{0}},
		"label":  {Hi: 3, Labels: []int{2}, Counts: []int{0}},
		"count":  {Hi: 3, Labels: []int{0}, Counts: []int{4}},
		"none":   {Hi: 3},
	} {
		if _, err := counts.Automaton(semiring.Scaled{}, 2, 3, a); !errors.Is(err, moments.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Annotators who count a set of labels count what is there. Every set of labels comes as often
// as every other.
func TestSimulateSubsets(t *testing.T) {
	const labels, width, size, n = 4, 3, 2, 6000
	r := random(1)
	var sequences [][]int
	for range n {
		s := make([]int, r.IntN(6))
		for j := range s {
			s[j] = r.IntN(labels)
		}
		sequences = append(sequences, s)
	}
	sets := map[[size]int]float64{}
	all := counts.SimulateSubsets(sequences, labels, width, size, r)
	for _, a := range all {
		for k, b := range a.Labels {
			want := 0
			for _, v := range sequences[a.Sequence][a.Lo:a.Hi] {
				if v == b {
					want++
				}
			}
			if a.Counts[k] != want {
				t.Fatalf("%+v of %v", a, sequences[a.Sequence])
			}
		}
		if a.Hi-a.Lo != min(width, len(sequences[a.Sequence])) {
			t.Fatalf("%+v of %v", a, sequences[a.Sequence])
		}
		sets[[size]int(a.Labels)]++
	}
	if len(sets) != 6 {
		t.Fatalf("sets %v", sets)
	}
	chi := 0.0
	for _, x := range sets {
		want := float64(len(all)) / 6
		chi += (x - want) * (x - want) / want
	}
	if chi > 20.5 { // 5 degrees of freedom: one time in a thousand
		t.Errorf("sets %v: χ² %g", sets, chi)
	}
	if whole, same := counts.Simulate(sequences, labels, width, random(7)), counts.SimulateSubsets(sequences, labels, width, labels, random(7)); len(whole) != len(same) || !slices.EqualFunc(whole, same, func(a, b counts.Annotation) bool { return a.Lo == b.Lo && slices.Equal(a.Counts, b.Counts) }) {
		t.Error("a set of all labels is not all labels")
	}
}

// If every set of labels is counted in every region, each label has the equations that it has if
// all are counted, as often as there are sets with it: least squares are the same.
func TestSubsetsDecouple(t *testing.T) {
	for seed := range trials.Seeds(30) {
		r := random(seed)
		const symbols, labels = 3, 3
		sequences, _, whole := trial(r, symbols, labels)
		var parts []counts.Annotation
		for _, a := range whole {
			if len(a.Labels) != labels {
				continue
			}
			for skip := range labels {
				b := a
				b.Labels, b.Counts = slices.Delete(slices.Clone(a.Labels), skip, skip+1), slices.Delete(slices.Clone(a.Counts), skip, skip+1)
				parts = append(parts, b)
			}
		}
		whole = slices.DeleteFunc(whole, func(a counts.Annotation) bool { return len(a.Labels) != labels })
		if len(whole) == 0 {
			continue
		}
		stop := counts.Stop{Tolerance: 1e-13, Iterations: 10000}
		w := must(must(counts.New(symbols, labels, sequences, whole))(t).LeastSquares(0, stop))(t).W
		v := must(must(counts.New(symbols, labels, sequences, parts))(t).LeastSquares(0, stop))(t).W
		if !mat.EqualApprox(w, v, 1e-8) {
			t.Fatalf("seed %d: %v by sets, %v by all", seed, mat.Formatted(v), mat.Formatted(w))
		}
	}
}
