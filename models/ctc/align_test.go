package ctc_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// aligned is a path of a text through frames: its weight and columns, and the label that holds
// each frame, −1 for the blank.
type aligned struct {
	weight  float64
	columns []int
	holds   []int
	first   []bool // of a label
}

// alignments returns all paths of the machine of a topology that write a text.
func alignments(top ctc.Topology, e *frames.Emissions, labels []int32) []aligned {
	var all []aligned
	var follow func(s int32, written int, at aligned)
	follow = func(s int32, written int, at aligned) {
		t := len(at.columns)
		if t == e.Frames() {
			if w := top.Machine.Final(s).Float64(); w > 0 && written == len(labels) {
				at.weight *= w
				all = append(all, at)
			}
			return
		}
		for _, a := range top.Machine.AppendArcs(nil, s) {
			next, n := at, written
			if a.Out != fst.Epsilon {
				if n == len(labels) || labels[n] != a.Out {
					continue
				}
				n++
			}
			holds := n - 1
			if int(a.In)-1 == top.Blank {
				holds = -1
			}
			next.columns = append(slices.Clone(at.columns), int(a.In)-1)
			next.holds = append(slices.Clone(at.holds), holds)
			next.first = append(slices.Clone(at.first), n > written)
			next.weight *= a.Weight.Float64() * e.Weight(t, int(a.In)-1).Float64()
			follow(a.To, n, next)
		}
	}
	for _, start := range top.Machine.AppendStarts(nil) {
		follow(start.State, 0, aligned{weight: start.Weight.Float64()})
	}
	return all
}

// spans returns the first and last frame of each label.
func (a aligned) spans(labels int) (first, last []int) {
	first, last = make([]int, labels), make([]int, labels)
	for t, i := range a.holds {
		if i >= 0 {
			if a.first[t] {
				first[i] = t
			}
			last[i] = t
		}
	}
	return first, last
}

// TestAlignByEnumeration compares best paths, posteriors and confidences with an enumeration of
// all paths.
func TestAlignByEnumeration(t *testing.T) {
	trials.SkipUnderRace(t)
	for n, top := range topologies() {
		rng := rand.New(rand.NewPCG(uint64(n), 5))
		for _, tested := range []ctc.Topology{top.Topology, {Machine: top.Machine, Symbols: top.Symbols, Blank: top.Blank}} {
			a := must(ctc.NewAligner(tested))
			for range 6 {
				e := scores(rng, 1+rng.IntN(4), top.Symbols)
				texts := top.texts(e.Frames())
				if len(texts) == 0 {
					continue
				}
				checkAlignment(t, top, a, e, texts[rng.IntN(len(texts))])
			}
		}
	}
}

func checkAlignment(t *testing.T, top topology, a *ctc.Aligner, e *frames.Emissions, labels []int32) {
	t.Helper()
	all := alignments(top.Topology, e, labels)
	total, greatest := 0.0, 0.0
	n, length := len(labels), e.Frames()
	first, held, last := make([]float64, n*length), make([]float64, n*length), make([]float64, n*length)
	for _, x := range all {
		total += x.weight
		greatest = max(greatest, x.weight)
		lo, hi := x.spans(n)
		for i := range n {
			first[i*length+lo[i]] += x.weight
			last[i*length+hi[i]] += x.weight
			for f := lo[i]; f <= hi[i]; f++ {
				held[i*length+f] += x.weight
			}
		}
	}
	al, err := a.Align(e, labels)
	if err != nil {
		t.Fatalf("%s: %v", top.name, err)
	}
	if !near(al.LogProb, math.Log(greatest), 1e-12) || !near(al.LogTotal, math.Log(total), 1e-12) {
		t.Errorf("%s: %v: ln of the best path %v, of all %v, want %v and %v", top.name, labels, al.LogProb, al.LogTotal, math.Log(greatest), math.Log(total))
	}
	// One of the best paths has these columns and segments.
	lo, hi := make([]int, n), make([]int, n)
	for i, s := range al.Segments {
		lo[i], hi[i] = s.First, s.Last
	}
	if !slices.ContainsFunc(all, func(x aligned) bool {
		first, last := x.spans(n)
		return near(x.weight, greatest, 1e-12*greatest) && slices.Equal(first, lo) && slices.Equal(last, hi) &&
			slices.EqualFunc(x.columns, al.Columns, func(a int, b int32) bool { return a == int(b) })
	}) {
		t.Errorf("%s: %v: no best path has the segments %+v and columns %v", top.name, labels, al.Segments, al.Columns)
	}
	p := must(a.Posteriors(e, labels))
	medians := p.Segments()
	for i := range n {
		lasts := p.Last(nil, i)
		for f := range length {
			k := i*length + f
			if !near(p.First(i)[f], first[k]/total, 1e-12) || !near(p.Occupancy(i)[f], held[k]/total, 1e-12) || !near(lasts[f], last[k]/total, 1e-12) {
				t.Errorf("%s: %v: label %d, frame %d: %v, %v, %v, want %v, %v, %v", top.name, labels, i, f,
					p.First(i)[f], p.Occupancy(i)[f], lasts[f], first[k]/total, held[k]/total, last[k]/total)
			}
		}
		if s := medians[i]; s.First > s.Last || i > 0 && s.First <= medians[i-1].Last || s.Label != labels[i] {
			t.Errorf("%s: %v: segments %v", top.name, labels, medians)
		}
	}
	for _, segments := range [][]ctc.Segment{al.Segments, medians} {
		for i, s := range segments {
			within := 0.0
			for _, x := range all {
				first, last := x.spans(n)
				if first[i] <= s.Last && last[i] >= s.First {
					within += x.weight
				}
			}
			if !near(s.Confidence, within/total, 1e-12) {
				t.Errorf("%s: %v: label %d, frames %d to %d: confidence %v, want %v", top.name, labels, i, s.First, s.Last, s.Confidence, within/total)
			}
		}
	}
	for i, s := range al.Segments {
		ln := 0.0
		for f := s.First; f <= s.Last; f++ {
			ln += e.Log(f, int(al.Columns[f]))
		}
		if s.Label != labels[i] || !near(s.LogProb, ln, 1e-12) {
			t.Errorf("%s: %v: segment %d is %+v, want ln %v", top.name, labels, i, s, ln)
		}
	}
	quick := must(a.Best(e, labels))
	for i := range quick.Segments {
		quick.Segments[i].Confidence = al.Segments[i].Confidence
	}
	if !slices.Equal(quick.Segments, al.Segments) || quick.LogTotal != 0 {
		t.Errorf("%s: %v: Best returns %+v, Align %+v", top.name, labels, quick, al)
	}
}

// TestAlignMistakes: texts that cannot be read, and arguments that make no sense.
func TestAlignMistakes(t *testing.T) {
	a := must(ctc.NewAligner(ctc.Standard(3, 2)))
	e := must(frames.Probabilities(2, 3, []float64{.4, 0, .6, .4, 0, .6}, nil))
	for name, x := range map[string]struct {
		e      *frames.Emissions
		labels []int32
		want   error
	}{
		"too many":  {e, []int32{1, 1}, ctc.ErrTooShort},
		"zero":      {e, []int32{2}, em.ErrUnderivable},
		"the blank": {e, []int32{3}, ctc.ErrInvalid},
		"unknown":   {e, []int32{4}, ctc.ErrInvalid},
		"ε":         {e, []int32{0}, ctc.ErrInvalid},
		"none":      {nil, nil, ctc.ErrInvalid},
		"columns":   {must(frames.Probabilities(1, 2, []float64{1, 0}, nil)), nil, semiring.ErrShape},
	} {
		_, first := a.Align(x.e, x.labels)
		_, second := a.Best(x.e, x.labels)
		_, third := a.Posteriors(x.e, x.labels)
		for _, err := range []error{first, second, third} {
			if !errors.Is(err, x.want) {
				t.Errorf("%s: %v, want %v", name, err, x.want)
			}
		}
	}
	one := semiring.NewScaled(1)
	early := ctc.Topology{Machine: fst.OneState(semiring.Scaled{}, one, fst.Arc[semiring.ScaledFloat]{Out: 1, Weight: one}), Symbols: 2, Blank: -1}
	if _, err := ctc.NewAligner(early); !errors.Is(err, ctc.ErrInvalid) {
		t.Error(err)
	}
}

// TestWords: separators, also several, part words.
func TestWords(t *testing.T) {
	s := []ctc.Segment{
		{9, 0, 0, -1, .9}, {1, 2, 3, -2, .8}, {2, 4, 4, -3, .7}, {9, 5, 5, -4, .1}, {9, 7, 7, -5, .2}, {3, 8, 9, -6, .6}, {9, 11, 12, -7, .3},
	}
	words := ctc.Words(s, 9)
	if len(words) != 2 {
		t.Fatal(words)
	}
	if w := words[0]; w.First != 2 || w.Last != 4 || w.LogProb != -5 || w.Confidence != .7 || !slices.Equal(w.Segments, s[1:3]) {
		t.Error(w)
	}
	if w := words[1]; w.First != 8 || w.Last != 9 || w.LogProb != -6 || w.Confidence != .6 || len(w.Segments) != 1 {
		t.Error(w)
	}
	if words := ctc.Words(nil, 9); words != nil {
		t.Error(words)
	}
}
