package crf_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/moments/counts"
	"example.org/pathsum/semiring"
)

// regions returns what an annotator counts in a region of each sequence that is not empty, and
// the constraint.
func regions(r *rand.Rand, all []labeled, labels []string) ([]*counts.Annotation, crf.Constraint) {
	of := make([]*counts.Annotation, len(all))
	for i, s := range all {
		if len(s.labels) == 0 {
			continue
		}
		var numbers []int
		for _, y := range s.labels {
			numbers = append(numbers, slices.Index(labels, y))
		}
		a := counts.SimulateSubsets([][]int{numbers}, len(labels), 1+r.IntN(len(numbers)), 1+r.IntN(len(labels)), r)[0]
		of[i] = &a
	}
	return of, crf.Constraint{Labelings: func(i int) (fst.Machine[semiring.ScaledFloat], error) {
		if of[i] == nil {
			return fst.FromString(semiring.Scaled{}, nil), nil
		}
		return counts.Automaton(semiring.Scaled{}, len(labels), len(all[i].labels), *of[i])
	}}
}

// allows reports whether labels have the counts of a.
func allows(a *counts.Annotation, labels, names []string) bool {
	for k, b := range a.Labels {
		n := 0
		for _, y := range labels[a.Lo:a.Hi] {
			if y == names[b] {
				n++
			}
		}
		if n != a.Counts[k] {
			return false
		}
	}
	return true
}

// The likelihood of counts in regions is an enumerated sum over the labelings that have them, less
// the sum over all; in the mode Viterbi the largest term takes the place of the former. Its
// counts are the derivatives. A beam is a lower bound, and exact if it is wide enough.
func TestConstrained(t *testing.T) {
	for seed := range trials.Seeds(150) {
		r := graphtest.Rand(seed)
		kind := kinds[seed%2]
		all, d := randomData(r, 1+r.IntN(3), 4, 4)
		l, theta := random(t, r, kind, d)
		names := must(l.LogPartition()).Labels()
		of, c := regions(r, all, names)
		p := must(l.Constrained(c))
		m := must(l.at(theta))
		sum, best := 0.0, 0.0
		for i, s := range all {
			var every, some []float64
			for _, labels := range labelings(m.Labels(), len(s.labels)) {
				x := score(m, s, labels, 0)
				every = append(every, x)
				if of[i] == nil || allows(of[i], labels, names) {
					some = append(some, x)
				}
			}
			sum += floats.LogSumExp(some) - floats.LogSumExp(every)
			best += slices.Max(some) - floats.LogSumExp(every)
		}
		at := func(l em.Likelihood, q em.Query) *em.Expectations {
			e, err := l.Expect(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		likelihoodtest.Check(t, p, em.Query{Theta: theta})
		e := at(p, em.Query{Theta: theta})
		if v := at(p, em.Query{Theta: theta, EStep: em.Viterbi}); !near(e.LogLikelihood, sum, 1e-11) || !near(v.LogLikelihood, best, 1e-11) {
			t.Fatalf("seed %d: %v: %.17g and %.17g, want %.17g and %.17g", seed, kind, e.LogLikelihood, v.LogLikelihood, sum, best)
		}
		c.Width = 1000
		if b := at(must(l.Constrained(c)), em.Query{Theta: theta}); b.LogLikelihood != e.LogLikelihood {
			t.Fatalf("seed %d: a wide beam has %g, all states %g", seed, b.LogLikelihood, e.LogLikelihood)
		}
		c.Width, c.Underivable = 1, em.Skip
		if b := at(must(l.Constrained(c)), em.Query{Theta: theta}); len(b.Skipped) == 0 && b.LogLikelihood > e.LogLikelihood+1e-12 {
			t.Fatalf("seed %d: a narrow beam has %g, all states %g", seed, b.LogLikelihood, e.LogLikelihood)
		}
		if len(theta) == 0 {
			continue
		}
		i, h := r.IntN(len(theta)), 1e-5
		up, down := slices.Clone(theta), slices.Clone(theta)
		up[i] += h
		down[i] -= h
		if slope := (at(p, em.Query{Theta: up}).LogLikelihood - at(p, em.Query{Theta: down}).LogLikelihood) / (2 * h); !near(e.Counts[i], slope, 1e-6) {
			t.Fatalf("seed %d: count %g, slope %g", seed, e.Counts[i], slope)
		}
		warm := at(p, em.Query{Theta: theta, Temperature: .5})
		half := slices.Clone(theta)
		floats.Scale(.5, half)
		clamped, free := at(p.Plus, em.Query{Theta: half}), at(p.Minus, em.Query{Theta: theta})
		if want := clamped.LogLikelihood - .5*free.LogLikelihood; !near(warm.LogLikelihood, want, 1e-11) {
			t.Fatalf("seed %d: %g at β = ½, want %g", seed, warm.LogLikelihood, want)
		}
	}
}

// Regions of one position whose labels are all counted tell the label: the likelihood is that of
// labels that are known.
func TestConstrainedToLabels(t *testing.T) {
	r := graphtest.Rand(5)
	all, d := randomData(r, 3, 12, 4)
	for _, kind := range []crf.Kind{crf.Node, crf.Chain} {
		l, theta := random(t, r, kind, d)
		p := must(l.LogPartition())
		c := must(l.Constrained(crf.Constraint{Labelings: func(i int) (fst.Machine[semiring.ScaledFloat], error) {
			var labels []int32
			for _, y := range all[i].labels {
				labels = append(labels, int32(1+slices.Index(p.Labels(), y)))
			}
			return fst.FromString(semiring.Scaled{}, labels), nil
		}}))
		got, want := must(c.Expect(t.Context(), em.Query{Theta: theta})), must(l.Expect(t.Context(), em.Query{Theta: theta}))
		if !near(got.LogLikelihood, want.LogLikelihood, 1e-12) || floats.Distance(got.Counts, want.Counts, math.Inf(1)) > 1e-9 {
			t.Errorf("%v: %g, want %g", kind, got.LogLikelihood, want.LogLikelihood)
		}
	}
}

func TestConstrainedErrors(t *testing.T) {
	_, d := randomData(graphtest.Rand(1), 3, 30, 4)
	free := func(int) (fst.Machine[semiring.ScaledFloat], error) {
		return fst.FromString(semiring.Scaled{}, nil), nil
	}
	if _, err := must(newLikelihood(crf.MEMM, d, em.LogLinearOptions{})).Constrained(crf.Constraint{Labelings: free}); !errors.Is(err, crf.ErrInvalid) {
		t.Error(err)
	}
	l := must(newLikelihood(crf.Chain, d, em.LogLinearOptions{}))
	if _, err := l.Constrained(crf.Constraint{Labelings: free, Width: -1}); !errors.Is(err, crf.ErrInvalid) {
		t.Error(err)
	}
	q := em.Query{Theta: make([]float64, l.Params().Len())}
	for want, c := range map[error]crf.Constraint{
		em.ErrUnderivable: {Labelings: free},
		crf.ErrInvalid: {Labelings: func(int) (fst.Machine[semiring.ScaledFloat], error) {
			return fst.FromString(semiring.Scaled{}, []int32{99, 99, 99, 99}), nil
		}},
		io.ErrUnexpectedEOF: {Labelings: func(int) (fst.Machine[semiring.ScaledFloat], error) { return nil, io.ErrUnexpectedEOF }},
	} {
		if _, err := must(l.Constrained(c)).Expect(t.Context(), q); !errors.Is(err, want) || !strings.Contains(err.Error(), "crf") {
			t.Errorf("%v, want %v", err, want)
		}
	}
	p := must(l.Constrained(crf.Constraint{Labelings: free, Underivable: em.Skip}))
	if e := must(p.Expect(t.Context(), q)); len(e.Skipped) == 0 {
		t.Errorf("%+v", e)
	}
	q.Tangent = q.Theta
	if _, err := p.Expect(t.Context(), q); !errors.Is(err, semiring.ErrCapability) {
		t.Error(err)
	}
	var a, b bytes.Buffer
	p.Fingerprint(&a)
	must(l.Constrained(crf.Constraint{Labelings: free, Underivable: em.Skip, Fingerprint: func(w io.Writer) { io.WriteString(w, "other") }})).Fingerprint(&b)
	if bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the fingerprint does not know the machines")
	}
}

// Weights of a machine are factors of a labeling, to the power of the temperature.
func TestConstrainedWeights(t *testing.T) {
	r := graphtest.Rand(8)
	all, d := randomData(r, 3, 10, 3)
	for _, kind := range []crf.Kind{crf.Node, crf.Chain} {
		l, theta := random(t, r, kind, d)
		p := must(l.LogPartition())
		weight := map[string]float64{}
		var arcs []fst.Arc[semiring.ScaledFloat]
		for k, y := range p.Labels() {
			weight[y] = r.NormFloat64()
			arcs = append(arcs, fst.Arc[semiring.ScaledFloat]{In: int32(1 + k), Out: int32(1 + k), Weight: semiring.ScaledFromLog(weight[y])})
		}
		machine := fst.OneState(semiring.Scaled{}, semiring.ScaledFromLog(.7), arcs...)
		c := must(l.Constrained(crf.Constraint{Labelings: func(int) (fst.Machine[semiring.ScaledFloat], error) { return machine, nil }}))
		for _, beta := range []float64{1, .5} {
			m, want := must(l.at(theta)), 0.0
			for _, s := range all {
				var scores []float64
				for _, labels := range labelings(m.Labels(), len(s.labels)) {
					x := score(m, s, labels, 0) + .7
					for _, y := range labels {
						x += weight[y]
					}
					scores = append(scores, beta*x)
				}
				want += floats.LogSumExp(scores)
			}
			if e := must(c.Plus.Expect(t.Context(), em.Query{Theta: theta, Temperature: beta})); !near(e.LogLikelihood, want, 1e-11) {
				t.Errorf("%v: %g at β = %g, want %g", kind, e.LogLikelihood, beta, want)
			}
		}
	}
}

// CountConstraint has the automata of annotations whose labels are numbered otherwise, some of which the
// model does not know, and of several annotations of a sequence.
func TestCountConstraint(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := graphtest.Rand(seed)
		kind := kinds[seed%2]
		all, d := randomData(r, 1+r.IntN(3), 4, 4)
		l, theta := random(t, r, kind, d)
		m := must(l.at(theta))
		names := append([]string{"unknown"}, m.Labels()...)
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		var annotations []counts.Annotation
		for i, s := range all {
			var numbers []int
			for _, y := range s.labels {
				numbers = append(numbers, slices.Index(names, y))
			}
			for range r.IntN(3) {
				for _, a := range counts.SimulateSubsets([][]int{numbers}, len(names), 1+r.IntN(4), 1+r.IntN(len(names)), r) {
					a.Sequence = i
					annotations = append(annotations, a)
				}
			}
		}
		want := 0.0
		for i, s := range all {
			var every, some []float64
			for _, labels := range labelings(m.Labels(), len(s.labels)) {
				x := score(m, s, labels, 0)
				every = append(every, x)
				if !slices.ContainsFunc(annotations, func(a counts.Annotation) bool { return a.Sequence == i && !allows(&a, labels, names) }) {
					some = append(some, x)
				}
			}
			want += floats.LogSumExp(some) - floats.LogSumExp(every)
		}
		c := must(l.CountConstraint(names, annotations))
		if e := must(must(l.Constrained(c)).Expect(t.Context(), em.Query{Theta: theta})); !near(e.LogLikelihood, want, 1e-11) {
			t.Fatalf("seed %d: %v: %.17g, want %.17g", seed, kind, e.LogLikelihood, want)
		}
	}
}

// Counts of a label that the model lacks leave no labeling; counts of an empty region have no
// effect.
func TestCountedUnknown(t *testing.T) {
	d := crf.NewData()
	for range 3 {
		if err := d.Add([]string{"A", "B"}, func(_ int, a *crf.Attributes) { a.Add("x") }); err != nil {
			t.Fatal(err)
		}
	}
	l := must(newLikelihood(crf.Chain, d, em.LogLinearOptions{}))
	names := []string{"C", "B", "A"}
	c := must(l.CountConstraint(names, []counts.Annotation{
		{Sequence: 0, Hi: 2, Labels: []int{0}, Counts: []int{1}},
		{Sequence: 1, Hi: 2, Labels: []int{0}, Counts: []int{0}},
		{Sequence: 2, Hi: 2, Labels: []int{1, 2}, Counts: []int{1, 0}},
	}))
	c.Underivable = em.Skip
	e := must(must(l.Constrained(c)).Expect(t.Context(), em.Query{Theta: make([]float64, l.Params().Len())}))
	if len(e.Skipped) != 2 || e.Skipped[0].Index != 0 || e.Skipped[1].Index != 2 || math.Abs(e.LogLikelihood) > 1e-15 {
		t.Errorf("%+v", e)
	}
	for name, a := range map[string]counts.Annotation{
		"sequence": {Sequence: 3, Hi: 2, Labels: []int{0}, Counts: []int{1}},
		"region":   {Hi: 3, Labels: []int{0}, Counts: []int{1}},
		"label":    {Hi: 2, Labels: []int{3}, Counts: []int{1}},
		"count":    {Hi: 2, Labels: []int{0}, Counts: []int{3}},
	} {
		if _, err := l.CountConstraint(names, []counts.Annotation{a}); !errors.Is(err, crf.ErrInvalid) || !strings.Contains(err.Error(), "annotation 0") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
