package align

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// A corpus has the sentences and lines that it was given.
func TestCorpusSentences(t *testing.T) {
	r, c := random(1), NewCorpus()
	var want []Sentence
	for n := range 50 {
		s := randomSentence(r, 6)
		if err := c.AddLine(3*n, s); err != nil {
			t.Fatal(err)
		}
		want = append(want, s)
	}
	for n, s := range want {
		if d := cmp.Diff(s, c.Sentence(n)); d != "" || c.Line(n) != 3*n {
			t.Errorf("sentence %d, of line %d: %s", n, c.Line(n), d)
		}
	}
}

// The posteriors of a sentence of the corpus are those of its words, to the last bit.
func TestPosteriorsOf(t *testing.T) {
	for _, kind := range []Positions{Model1, Model2, Diagonal, HMM} {
		for seed := range trials.Seeds(30) {
			r := random(seed)
			c := randomCorpus(r, 1+r.IntN(20), 6)
			m := randomModelOf(r, kind, c)
			for n := range c.Len() {
				p, q, wantErr := m.Posteriors(c.Sentence(n))
				forward, backward, err := m.PosteriorsOf(c, n)
				if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
					t.Fatalf("%v, seed %d: error %v, want %v", kind, seed, err, wantErr)
				}
				if err == nil && (!slices.Equal(p.P, forward.P) || !slices.Equal(q.P, backward.P)) {
					t.Fatalf("%v, seed %d: %v and %v, want %v and %v", kind, seed, forward, backward, p, q)
				}
			}
		}
	}
}

// A corpus that is not the one of the model is refused, also if it is of the same sentences.
func TestPosteriorsOfAnother(t *testing.T) {
	c, same := textOf(t, lines...), textOf(t, lines...)
	m, err := New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(c *Corpus) {
		t.Helper()
		if _, _, err := m.PosteriorsOf(c, 0); !errors.Is(err, ErrInvalid) {
			t.Errorf("error %v", err)
		}
	}
	accepted := func(c *Corpus) {
		t.Helper()
		if _, _, err := m.PosteriorsOf(c, 0); err != nil {
			t.Error(err)
		}
	}
	accepted(c)
	refused(same)
	if _, err := m.Fit(t.Context(), same, &FitOptions{Stages: []Stage{{Model1, 1, Own, Separate}}}); err != nil {
		t.Fatal(err)
	}
	accepted(same)
	refused(c)
	if err := same.Add(Sentence{strings.Fields("the house"), strings.Fields("das haus")}); err != nil {
		t.Fatal(err)
	}
	refused(same)
}

// A sentence of the corpus that has become impossible is named by an error.
func TestPosteriorsOfUnderivable(t *testing.T) {
	c := textOf(t, lines...)
	m := train(t, c, &setup{Stages: []Stage{{HMM, 1, Own, Separate}}, Floor: -1})
	for n := range c.Len() {
		s := c.Sentence(n)
		for _, f := range s.Target {
			m.put("", f, 0)
			for _, e := range s.Source {
				m.put(e, f, 0)
			}
		}
		if _, _, err := m.PosteriorsOf(c, n); !errors.Is(err, em.ErrUnderivable) {
			t.Errorf("sentence %d: error %v", n, err)
		}
	}
}

// TestPrune: the residual string are the pairs that are together often enough, in the order in which
// they come without pruning, and the cells of others have no slot.
func TestPrune(t *testing.T) {
	for seed := range trials.Seeds(40) {
		r := random(seed)
		c := randomCorpus(r, 1+r.IntN(8), 6)
		least := r.Float64()
		all := c.lexicon()
		var want [][2]int32
		for e := range all.row[1:] {
			for _, f := range all.col[all.row[e]:all.row[e+1]] {
				together, numE, numF := 0.0, 0.0, 0.0
				for n := range c.Len() {
					x, y := 0.0, 0.0
					for _, w := range c.text[0].sentence(n) {
						if w == int32(e) {
							x++
						}
					}
					for _, w := range c.text[1].sentence(n) {
						if w == f {
							y++
						}
					}
					together, numE, numF = together+x*y, numE+x, numF+y
				}
				if together >= least*min(numE, numF) {
					want = append(want, [2]int32{int32(e), f})
				}
			}
		}
		c.Prune(least)
		l := c.lexicon()
		var got [][2]int32
		for e := range l.row[1:] {
			for _, f := range l.col[l.row[e]:l.row[e+1]] {
				got = append(got, [2]int32{int32(e), f})
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("seed %d: %s", seed, d)
		}
		for n := range c.Len() {
			f := c.text[1].sentence(n)
			for k, slot := range c.slots().slots(nil, n) {
				pair := [2]int32{c.text[0].sentence(n)[k/len(f)], f[k%len(f)]}
				if in := slices.Contains(want, pair); in != (slot != unknown) || in && want[slot] != pair {
					t.Errorf("seed %d, sentence %d: pair %v has slot %d", seed, n, pair, slot)
				}
			}
		}
		c.Prune(0)
		if d := cmp.Diff(all, c.lexicon(), cmp.AllowUnexported(lexicon{})); d != "" {
			t.Errorf("seed %d, not pruned any more: %s", seed, d)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewCorpus().Prune(1)
}

// TestPruneLongRows: ranks that need more than 16 bits are told from none.
func TestPruneLongRows(t *testing.T) {
	c := NewCorpus()
	for range 4 {
		if err := c.Add(Sentence{[]string{"a"}, []string{"b"}}); err != nil {
			t.Fatal(err)
		}
	}
	c.Prune(.5)
	x := &cells{corpus: c, lexicon: &lexicon{row: []int32{7, 1 << 20}}, first: []int{0, 1, 2, 3, 4}, rank: make([]uint16, 4), high: make([]uint16, 4)}
	for n, rank := range []int32{noRank, unknown, 3 << 16, 5<<16 + noRank} {
		x.set(n, rank)
		want := rank
		if rank != unknown {
			want += 7
		}
		if got := x.slots(nil, n); got[0] != want {
			t.Errorf("rank %d: slot %d, want %d", rank, got[0], want)
		}
	}
}

// TestPrunedTraining: pairs that are left out have the floor and no counts, which is what a
// lexicon without pruning has where their probabilities are put to the floor before each E
// step.
func TestPrunedTraining(t *testing.T) {
	for seed := range trials.Seeds(20) {
		r := random(seed)
		c := randomCorpus(r, 4+r.IntN(8), 5)
		stage := Stage{[]Positions{Model1, HMM}[r.IntN(2)], 1, []EStep{Own, Joint}[r.IntN(2)], Counting(r.IntN(3))}
		opts := &Options{Classes: 1, Floor: 1e-3}
		full, err := New(c, opts)
		if err != nil {
			t.Fatal(err)
		}
		pruned := NewCorpus()
		pruned.Prune(.4)
		for n := range c.Len() {
			if err := pruned.Add(c.Sentence(n)); err != nil {
				t.Fatal(err)
			}
		}
		m, err := New(pruned, opts)
		if err != nil {
			t.Fatal(err)
		}
		for n := range c.Len() { // the same start, but for the floor
			for _, e := range c.text[0].sentence(n) {
				for _, f := range c.text[1].sentence(n) {
					from, to := m.searcher().find(e, f), full.searcher().find(e, f)
					for d := range 2 {
						p := opts.Floor
						if from != unknown {
							p = m.theta[2*from+int32(d)]
						}
						full.theta[2*to+int32(d)] = p
					}
				}
			}
		}
		for n := range c.Len() {
			within(t, fmt.Sprint("seed ", seed), 1e-12)(m.PosteriorsOf(pruned, n))(full.PosteriorsOf(c, n))
		}
		x, err := m.Fit(t.Context(), pruned, &FitOptions{Stages: []Stage{stage}})
		if err != nil {
			t.Fatal(err)
		}
		y, err := full.Fit(t.Context(), c, &FitOptions{Stages: []Stage{stage}})
		if err != nil || math.Abs(x.Objective[0]-y.Objective[0]) > 1e-9 {
			t.Errorf("seed %d: objective %g, want %g, %v", seed, x.Objective, y.Objective, err)
		}
		checkCounts(t, seed, m, full)
	}
}

// checkCounts compares the translations of a pruned model with those of all pairs that are in
// both, normalized by row.
func checkCounts(t *testing.T, seed uint64, m, full *Model) {
	t.Helper()
	for e := range m.lexicon.row[1:] {
		row := m.lexicon.col[m.lexicon.row[e]:m.lexicon.row[e+1]]
		sum := 0.0
		for _, f := range row {
			if p := full.theta[2*full.searcher().find(int32(e), f)]; p > 1e-3 {
				sum += p
			}
		}
		for _, f := range row {
			got, want := m.theta[2*m.searcher().find(int32(e), f)], full.theta[2*full.searcher().find(int32(e), f)]
			if want > 1e-3 && math.Abs(got-want/sum) > .02*want/sum+1e-3 {
				t.Errorf("seed %d, pair (%d, %d): %g, want %g", seed, e, f, got, want/sum)
			}
		}
	}
}

// TestWindows: no window is too long, all words are in one, and each link near the diagonal
// is decided on once, others at most once.
func TestWindows(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := random(seed)
		source, target, most := 1+r.IntN(60), 1+r.IntN(60), 4+r.IntN(20)
		for name, list := range map[string][]Window{"windows": Windows(source, target, most), "pieces": Pieces(source, target, most)} {
			var covered [2]map[int]bool
			covered[0], covered[1] = map[int]bool{}, map[int]bool{}
			for _, w := range list {
				for side, part := range [][2]int{w.Source, w.Target} {
					if n := part[1] - part[0]; n < 1 || n > most {
						t.Errorf("seed %d, %s of %d and %d words: %+v, want 1 to %d", seed, name, source, target, w, most)
					}
					for i := part[0]; i < part[1]; i++ {
						covered[side][i] = true
					}
				}
			}
			if len(covered[0]) != source || len(covered[1]) != target {
				t.Errorf("seed %d, %s: %d and %d words of %d and %d", seed, name, len(covered[0]), len(covered[1]), source, target)
			}
			if max(source, target) <= most && len(list) != 1 {
				t.Errorf("seed %d, %s: %d, want one", seed, name, len(list))
			}
			if name == "windows" {
				checkDecisions(t, list, source, target)
			}
		}
	}
}

// checkDecisions counts who decides on links.
func checkDecisions(t *testing.T, list []Window, source, target int) {
	t.Helper()
	width := 2 / float64(len(list)+1)
	for i := range source {
		for j := range target {
			n := 0
			for _, w := range list {
				if w.Decides(Link{i, j}) {
					n++
				}
			}
			// The middle of the link is at least a quarter of a window from the ends, so an
			// eighth on either side is within.
			x, y := (float64(i)+.5)/float64(source), (float64(j)+.5)/float64(target)
			near := max(x-y, y-x) <= width/4
			if n > 1 || n == 0 && (near || len(list) == 1) {
				t.Errorf("%d windows of %d decide on %d-%d of %d and %d words", n, len(list), i, j, source, target)
			}
		}
	}
}

func TestWindowOf(t *testing.T) {
	s := Sentence{[]string{"a", "b", "c", "d", "e", "f"}, []string{"1", "2", "3"}}
	list := Pieces(6, 3, 4)
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	got := list[1].Of(s)
	if len(got.Source) != 3 || got.Source[0] != "d" || got.Target[len(got.Target)-1] != "3" {
		t.Errorf("%+v", got)
	}
	if l := list[1].Link(Link{0, 1}); l != (Link{3, 2}) {
		t.Errorf("%v", l)
	}
	for _, fails := range []func(){func() { Pieces(0, 1, 9) }, func() { Windows(9, 9, 3) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			fails()
		}()
	}
}
