package fstio_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
)

// latticesOf returns the lattices of a sequence by their keys.
func latticesOf[W any](lattices iter.Seq2[fstio.Entry[W], error]) (keys []string, list []*fst.FST[W], err error) {
	for e, err := range lattices {
		if err != nil {
			return keys, list, err
		}
		keys, list = append(keys, e.Key), append(list, e.FST)
	}
	return keys, list, nil
}

// latticeArc is an arc of a lattice, before there is a text of it.
type latticeArc struct {
	to            int
	word          int32
	graph, sounds float64
	ids           []int32
}

// lattice is one with arcs to later states, the last of which is final.
type lattice struct {
	arcs  [][]latticeArc
	final latticeArc
}

func randomLattice(seed uint64) lattice {
	r := fsttest.Rand(seed)
	arc := func(to int) latticeArc {
		a := latticeArc{to: to, word: int32(r.IntN(3)), graph: float64(r.IntN(16)) / 4, sounds: float64(r.IntN(99)-50) / 2}
		for range r.IntN(4) {
			a.ids = append(a.ids, int32(1+r.IntN(9)))
		}
		return a
	}
	n := 1 + r.IntN(4)
	l := lattice{arcs: make([][]latticeArc, n), final: arc(0)}
	for p := range n - 1 {
		for range 1 + r.IntN(3) {
			l.arcs[p] = append(l.arcs[p], arc(p+1+r.IntN(n-1-p)))
		}
	}
	return l
}

func joinedIDs(ids []int32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", "_"), "[]")
}

// compact returns the text of a compact lattice.
func (l lattice) compact() string {
	var b strings.Builder
	for p, arcs := range l.arcs {
		for _, a := range arcs {
			fmt.Fprintf(&b, "%d\t%d\t%d\t%g,%g,%s\n", p, a.to, a.word, a.graph, a.sounds, joinedIDs(a.ids))
		}
	}
	fmt.Fprintf(&b, "%d\t%g,%g,%s\n", len(l.arcs)-1, l.final.graph, l.final.sounds, joinedIDs(l.final.ids))
	return b.String()
}

// plain returns the text of a lattice that is not compact: one id on each arc, the first with the
// word and the weight, and further states.
func (l lattice) plain() string {
	var b strings.Builder
	next := len(l.arcs)
	for p, arcs := range l.arcs {
		for _, a := range arcs {
			from, ids := p, a.ids
			if len(ids) == 0 {
				ids = []int32{0}
			}
			for i, id := range ids {
				to := a.to
				if i < len(ids)-1 {
					to = next
					next++
				}
				if i == 0 {
					fmt.Fprintf(&b, "%d %d %d %d %g,%g\n", from, to, id, a.word, a.graph, a.sounds)
				} else {
					fmt.Fprintf(&b, "%d %d %d 0\n", from, to, id)
				}
				from = to
			}
		}
	}
	from := len(l.arcs) - 1
	for i, id := range l.final.ids {
		weight := ""
		if i == 0 {
			weight = fmt.Sprintf(" %g,%g", l.final.graph, l.final.sounds)
		}
		fmt.Fprintf(&b, "%d %d %d 0%s\n", from, next, id, weight)
		from, next = next, next+1
	}
	if len(l.final.ids) > 0 {
		fmt.Fprintf(&b, "%d\n", from)
	} else {
		fmt.Fprintf(&b, "%d %g,%g\n", from, l.final.graph, l.final.sounds)
	}
	return b.String()
}

// walk lists the paths from state p on: ids, words, and the weight of both costs.
func (l lattice) walk(p int, ids, words []int32, graph, sounds float64, weight func(graph, sounds float64) semiring.Cost) []string {
	if p == len(l.arcs)-1 {
		ids = slices.Concat(ids, l.final.ids)
		return []string{fmt.Sprint(ids, words, weight(graph+l.final.graph, sounds+l.final.sounds))}
	}
	var all []string
	for _, a := range l.arcs[p] {
		then := words
		if a.word != 0 {
			then = append(slices.Clone(words), a.word)
		}
		all = append(all, l.walk(a.to, slices.Concat(ids, a.ids), then, graph+a.graph, sounds+a.sounds, weight)...)
	}
	return all
}

// Both forms have the paths of the lattice from which their text was made, for any Weight.
func TestReadLattices(t *testing.T) {
	var text strings.Builder
	var made []lattice
	for seed := range uint64(100) {
		l := randomLattice(seed)
		made = append(made, l)
		fmt.Fprintf(&text, "utt-%d \n%s\nutt-%d.plain\n%s\n", seed, l.compact(), seed, l.plain())
	}
	sum := func(graph, sounds float64) semiring.Cost { return semiring.Cost(graph + sounds) }
	scaled := func(graph, sounds float64) semiring.Cost { return semiring.Cost(2*graph + sounds/4) }
	for i, weight := range []func(graph, sounds float64) semiring.Cost{nil, scaled} {
		o := &fstio.Lattices[semiring.Cost]{Weight: weight, Transitions: true}
		keys, list, err := latticesOf(fstio.ReadLattices(strings.NewReader(text.String()), tropical, o))
		if err != nil || len(list) != 2*len(made) {
			t.Fatal(len(list), err)
		}
		o.Transitions = false
		_, words, err := latticesOf(fstio.ReadLattices(strings.NewReader(text.String()), tropical, o))
		if err != nil {
			t.Fatal(err)
		}
		for j, f := range list {
			if want := fmt.Sprintf("utt-%d%s", j/2, []string{"", ".plain"}[j%2]); keys[j] != want {
				t.Errorf("key %s, want %s", keys[j], want)
			}
			want := made[j/2].walk(0, nil, nil, 0, 0, []func(graph, sounds float64) semiring.Cost{sum, scaled}[i])
			if got := paths(f); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Fatalf("%s: paths %v, want %v", keys[j], got, want)
			}
			if got, want := paths(words[j]), paths(must(fst.Expand(fst.ProjectOut(f), nil))(t)); !slices.Equal(got, want) {
				t.Fatalf("%s: paths of words %v, want %v", keys[j], got, want)
			}
		}
	}
}

func TestReadLatticesForms(t *testing.T) {
	names := fst.NewSymbols("hello", "wo,rld")
	text := "\n\nempty\n\n\na\r\n3 4 hello\n3 4 wo,rld Infinity,2,1_2\n4\n"
	keys, list, err := latticesOf(fstio.ReadLattices(strings.NewReader(text), tropical, &fstio.Lattices[semiring.Cost]{Words: names}))
	if err != nil || !slices.Equal(keys, []string{"empty", "a"}) || list[0].NumStates() != 0 {
		t.Fatal(keys, err)
	}
	if f := list[1]; f.NumStates() != 2 || !slices.Equal(f.In(), []int32{1, 2}) || f.InSymbols() != names || !slices.Equal(f.Graph().Weights(), []semiring.Cost{0, tropical.Zero()}) || f.Final(1) != 0 {
		t.Errorf("%d states, labels %v, weights %v", f.NumStates(), f.In(), f.Graph().Weights())
	}
	// The order of Kaldi's weights: of two paths with equal sums of costs, the path with the lesser
	// graph cost is better.
	lex := must(semiring.Lex[semiring.Cost, semiring.Cost](tropical, tropical))(t)
	type pair = semiring.Pair[semiring.Cost, semiring.Cost]
	o := &fstio.Lattices[pair]{Weight: func(graph, sounds float64) pair {
		return pair{First: semiring.Cost(graph + sounds), Second: semiring.Cost(graph - sounds)}
	}}
	_, two, err := latticesOf(fstio.ReadLattices(strings.NewReader("a\n0 1 1 3,1,\n0 1 2 1,3,\n0 1 3 4,4,\n1\n"), lex, o))
	if err != nil {
		t.Fatal(err)
	}
	if w := must(fst.PathSum(two[0], nil))(t); w != (pair{First: 4, Second: -2}) {
		t.Errorf("the least weight is %v", w)
	}
	if _, _, err := latticesOf(fstio.ReadLattices(strings.NewReader(text), fsttest.Bags{}, nil)); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without −ln p: %v", err)
	}
	name := filepath.Join(t.TempDir(), "lat.gz")
	if _, _, err := latticesOf(fstio.ReadLatticesFile(name, tropical, nil)); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// latticeMistakes are texts that are not lattices.
var latticeMistakes = []string{
	"a b\n0\n",
	"a\n0 1 2 1,2,3_4\n0 1 2 3 1,2\n",
	"a\n0 1 2 3 4 5\n",
	"a\n0 1 2 1,2\n1\n",
	"a\n0 1 2 3 1,2,3\n1\n",
	"a\n0 1 2 1,x,\n1\n",
	"a\n0 1 2 1,NaN,\n1\n",
	"a\n0 1 2 1,-Infinity,\n1\n",
	"a\n0 1 2 1,1e999,\n1\n",
	"a\n0 1,2,3,4\n",
	"a\n0 1\n",
	"a\n0\n0\n",
	"a\n00\n",
	"a\n0\nb\n0\n",
	"a\n0 1 x 1,2,\n1\n",
	"a\n0 1 1 1,2,x\n1\n",
}

func FuzzReadLattices(f *testing.F) {
	f.Add("a \n"+randomLattice(1).compact()+"\nb\n"+randomLattice(2).plain(), true)
	f.Add("a\n0 1 1\n1 0,0,1_1_1_1_1_1_1_1\n\n", true)
	for _, text := range latticeMistakes {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, transitions bool) {
		memtest.Bound(t, len(text), perTexts, func() {
			_, list, _ := latticesOf(fstio.ReadLattices(strings.NewReader(text), tropical, &fstio.Lattices[semiring.Cost]{Transitions: transitions}))
			for _, m := range list {
				if m.NumStates() > len(text) || m.NumArcs() > len(text) {
					t.Errorf("%d states and %d arcs of %d bytes", m.NumStates(), m.NumArcs(), len(text))
				}
				for _, w := range m.Graph().Weights() {
					if math.IsNaN(float64(w)) {
						t.Error("a weight that is not a number")
					}
				}
			}
		})
	})
}
