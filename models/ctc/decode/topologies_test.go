package decode

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// alignments returns the sums and the greatest weights of the alignments of each text, by following
// every path of a topology.
func alignments(e *frames.Emissions, t ctc.Topology) (sum, best map[string]float64) {
	sum, best = map[string]float64{}, map[string]float64{}
	var visit func(state int32, read int, labels []int32, w float64)
	visit = func(state int32, read int, labels []int32, w float64) {
		if read == e.Frames() {
			w *= t.Machine.Final(state).Float64()
			k := string(labelBytes(labels))
			if w > 0 {
				sum[k] += w
				best[k] = max(best[k], w)
			}
			return
		}
		for _, a := range t.Machine.AppendArcs(nil, state) {
			next := labels
			if a.Out != 0 {
				next = append(slices.Clone(labels), a.Out)
			}
			visit(a.To, read+1, next, w*a.Weight.Float64()*e.Weight(read, int(a.In)-1).Float64())
		}
	}
	for _, s := range t.Machine.AppendStarts(nil) {
		visit(s.State, 0, nil, s.Weight.Float64())
	}
	return sum, best
}

// ranked returns texts by their weights.
func ranked(weights map[string]float64) []reading {
	var list []reading
	for k, w := range weights {
		var y []int32
		for _, l := range []byte(k) {
			y = append(y, int32(l))
		}
		list = append(list, reading{y, w})
	}
	slices.SortFunc(list, func(a, b reading) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), slices.Compare(a.labels, b.labels))
	})
	return list
}

// All topologies are read as all of their paths say, by sums and by best alignments, and within a
// beam the bounds of the report hold.
func TestTopologies(t *testing.T) {
	for seed := range trials.Seeds(10) {
		r := rand.New(rand.NewPCG(seed, 11))
		for _, x := range []struct {
			name string
			t    ctc.Topology
		}{
			{"standard", ctc.Standard(3, 1)},
			{"standard without a blank", ctc.Standard(3, -1)},
			{"compact", ctc.Compact(3, 0)},
			{"minimal", ctc.Minimal(3, 2)},
			{"HMM of two states", ctc.HMM(2, 2, &ctc.HMMOptions{Blank: true})},
			{"HMM with shared columns", ctc.HMM(3, 2, &ctc.HMMOptions{Shared: true})},
		} {
			e := scores(t, r, 2+r.IntN(4), x.t.Symbols, 2)
			sum, best := alignments(e, x.t)
			check(t, x.name, Options{Topology: x.t}, e, ranked(sum))
			byBest := ranked(best)
			total := 0.0
			for _, y := range ranked(sum) {
				total += y.weight
			}
			for _, beam := range []frames.BeamOptions{{Best: true}, {Width: 10_000, Best: true}} {
				list, report, err := must(New(Options{Topology: x.t, Beam: beam}))(t).Decode(t.Context(), e, 3)
				if err != nil || len(list) != min(3, len(byBest)) || !report.Exact {
					t.Fatalf("%s, %+v: %d texts, %+v, %v", x.name, beam, len(list), report, err)
				}
				for i, y := range list {
					if math.Abs(y.LogProb-math.Log(byBest[i].weight)) > 1e-9 || math.Abs(y.Posterior-byBest[i].weight/total) > 1e-9 {
						t.Errorf("%s, %+v: text %d: %v of %v, want %v", x.name, beam, i, y.Labels, y.LogProb, byBest[i])
					}
				}
			}
			path, _, err := must(New(Options{Topology: x.t}))(t).BestPath(t.Context(), e)
			if err != nil || math.Abs(path.LogProb-math.Log(byBest[0].weight)) > 1e-9 || math.Abs(path.Posterior-byBest[0].weight/total) > 1e-9 {
				t.Errorf("%s: best path %+v, want %v of %v; %v", x.name, path, byBest[0], total, err)
			}
			for _, beam := range []frames.BeamOptions{{Width: 2}, {Margin: 1}, {Width: 3, Margin: 2}} {
				list, report, err := must(New(Options{Topology: x.t, Beam: beam}))(t).Decode(t.Context(), e, 1)
				if err != nil {
					t.Fatal(err)
				}
				if lower, upper := math.Exp(report.Kept), math.Exp(report.Kept)+math.Exp(report.Lost); lower > total+1e-12 || upper < total-1e-12 {
					t.Errorf("%s, %+v: %v is not within %v and %v", x.name, beam, total, lower, upper)
				}
				if want := ranked(sum)[0]; report.Exact && (len(list) == 0 || !slices.Equal(list[0].Labels, want.labels)) {
					t.Errorf("%s, %+v: %v is said to be exact, want %v", x.name, beam, list, want)
				}
			}
		}
	}
}

// A topology of very many columns is not stored, and read all the same.
func TestManyColumns(t *testing.T) {
	const columns = 1000
	r := rand.New(rand.NewPCG(12, 12))
	e := spoken(t, r, []int32{7, 7, 900, 12, 3}, columns, .5)
	for _, o := range []Options{{}, {Lexicon: []Entry{{Word: "x", Labels: []int32{7, 7, 900}}, {Word: "y", Labels: []int32{12, 3}}, {Word: "z", Labels: []int32{12}}}}} {
		o.Topology, o.Beam = ctc.Standard(columns, columns-1), frames.BeamOptions{Width: 10, Margin: 15}
		list, report, err := must(New(o))(t).Decode(t.Context(), e, 1)
		if err != nil || len(list) != 1 || !slices.Equal(list[0].Labels, []int32{7, 7, 900, 12, 3}) {
			t.Errorf("%+v, %+v, %v", list, report, err)
		}
	}
}

// all is a product that makes all of its arcs.
type all struct{ machine }

// AppendChosen of the product has the arcs of AppendArcs if the search has no limits.
func TestAllArcs(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 14))
	entries := someWords(r, 10, 3)
	o := Options{Topology: ctc.Standard(5, 4), Lexicon: entries, Separators: []int32{4}, Language: bigram(t, r, 11), Unknown: 1,
		Letters: bigram(t, r, 4)}
	d := must(New(o))(t)
	e := scores(t, r, 8, 5, 2)
	for _, merged := range []bool{false, true} {
		p := newProduct(d, merged, nil)
		chosen := must(p.search(t.Context(), o.Beam))(t)
		every := must(frames.NewBeam(t.Context(), all{newProduct(d, merged, nil)}, 5, nil))(t)
		for _, b := range []*frames.Beam{chosen, every} {
			if err := b.Push(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		if math.Abs(chosen.Kept()-every.Kept()) > 1e-11 || chosen.Size() != every.Size() {
			t.Errorf("kept %v with %+v, want %v with %+v", chosen.Kept(), chosen.Size(), every.Kept(), every.Size())
		}
	}
}

// The product weighs what the composition of a topology, a lexicon and an n-gram by package fst
// does.
func TestComposition(t *testing.T) {
	for seed := range trials.Seeds(10) {
		r := rand.New(rand.NewPCG(seed, 15))
		entries := someWords(r, 6, 3)
		language := bigram(t, r, 7)
		o := Options{Topology: ctc.Standard(5, 4), Lexicon: entries, Separators: []int32{4}, Language: language}
		e := scores(t, r, 1+r.IntN(12), 5, 2)
		one := semiring.NewScaled(1)
		b := fst.NewBuilder(semiring.Scaled{})
		const begin, gap, after = 0, 1, 2
		b.AddStates(3)
		b.AddStart(begin, one)
		for _, s := range []int32{begin, gap, after} {
			b.SetFinal(s, one)
			if s != gap {
				b.AddArc(s, arc{In: 4, To: gap, Weight: one})
			}
			if s == after {
				continue
			}
			for _, x := range entries {
				from := s
				for i, l := range x.Labels {
					a := arc{In: l, To: after, Weight: one}
					if i+1 < len(x.Labels) {
						a.To = b.AddState()
					} else {
						a.Out = x.Symbol
					}
					b.AddArc(from, a)
					from = a.To
				}
			}
		}
		grammar := must(ngram.Acceptor(language, semiring.Scaled{}, nil))(t)
		m := fst.Compose(o.Topology.Machine, fst.Compose[weight](must(b.Freeze())(t), grammar))
		for _, best := range []bool{false, true} {
			o.Beam.Best = best
			_, got, _, err := must(New(o))(t).merged(t.Context(), e, o.Beam)
			if err != nil {
				t.Fatal(err)
			}
			want := must(frames.NewBeam(t.Context(), m, 5, &frames.BeamOptions{Best: best}))(t)
			if err := want.Push(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Kept()-want.Kept()) > 1e-11 {
				t.Errorf("seed %d, best %v: %v, want %v", seed, best, got.Kept(), want.Kept())
			}
		}
	}
}
