package align

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// agreed is options by which PosteriorsOf leaves out own counts, with k iterations of the last
// stage.
func agreed(kind Positions, k int) *setup {
	return &setup{Stages: []Stage{{Model1, 1, Own, Multiplied}, {kind, k, Own, Multiplied}}, Decode: Joint, Floor: 1e-3, Classes: 2, Deleted: .9}
}

// same is whether PosteriorsOf has the bits of Posteriors for all sentences.
func same(t *testing.T, m *Model, c *Corpus) bool {
	t.Helper()
	out := true
	for n := range c.Len() {
		p, q, err := m.Posteriors(c.Sentence(n))
		if err != nil {
			t.Fatal(err)
		}
		forward, backward, err := m.PosteriorsOf(c, n)
		if err != nil {
			t.Fatal(err)
		}
		out = out && slices.Equal(p.P, forward.P) && slices.Equal(q.P, backward.P)
	}
	return out
}

// decoded is all that PosteriorsOf says of a corpus.
func decoded(t *testing.T, m *Model, c *Corpus) (all []float64) {
	t.Helper()
	for n := range c.Len() {
		p, q, err := m.PosteriorsOf(c, n)
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, p.P...), q.P...)
	}
	return all
}

// TestOwnByEnumeration: the counts of the last E step and the totals of the last M step are
// those of sums over all alignments at the parameters before. The posteriors without own
// counts are those of sums with the formula's probabilities.
func TestOwnByEnumeration(t *testing.T) {
	for _, kind := range []Positions{Model1, Model2, Diagonal, HMM} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			for seed := range trials.Seeds(40) {
				r := random(seed)
				c := randomCorpus(r, 1+r.IntN(5), 4)
				c.Prune([]float64{0, .3}[r.IntN(2)])
				k := 1 + r.IntN(2)
				o, shorter := agreed(kind, k), agreed(kind, k-1)
				for _, o := range []*setup{o, shorter} {
					o.Decode, o.Deleted = Joint, []float64{.9, .4}[seed/2%2]
					o.Prior = Prior{Classes: []float64{0, 2}[seed%2], Pair: func(e, f string) float64 { return []float64{0, .3}[seed/2%2] }}
				}
				m, before := train(t, c, o), train(t, c, shorter)
				links := ownByHand(t, m, before, c, seed)
				totalsByHand(t, m, c, links, o.Prior, seed)
				remainderByHand(t, m, c, seed)
			}
		})
	}
}

// ownByHand checks the counts of sentences, and returns all counts of each pair of words.
func ownByHand(t *testing.T, m, before *Model, c *Corpus, seed uint64) map[[2]int32]float64 {
	t.Helper()
	links := map[[2]int32]float64{}
	for n := range c.Len() {
		words := [2][]int32{c.text[0].sentence(n), c.text[1].sentence(n)}
		kept := map[int]float64{}
		m.own.each(n, func(cell int, count float64) {
			if m.lexicon.find(words[0][cell/len(words[1])], words[1][cell%len(words[1])]) >= 0 {
				kept[cell] = count
			}
		})
		var all [2]*enumerated
		for d := range all {
			all[d] = &enumerated{m: before, d: d, hidden: words[d], seen: words[1-d]}
			all[d].sum()
		}
		for i, e := range words[0] {
			for j, f := range words[1] {
				got, want := kept[i*len(words[1])+j]*255, 0.0
				if m.lexicon.find(e, f) >= 0 {
					want = all[ef].links[[2]int{i, j}] * all[fe].links[[2]int{j, i}]
					links[[2]int32{e, f}] += want
				}
				if !(got <= 255*want+1e-6 && got > 255*want-1-1e-6 || got == 0 && want < .05+1e-9) {
					t.Fatalf("seed %d: sentence %d, link %d-%d: %v counts of 1/255, want %v rounded down", seed, n, i, j, got, 255*want)
				}
			}
		}
	}
	return links
}

// totalsByHand checks the totals of words by the counts of pairs and what is known beforehand.
func totalsByHand(t *testing.T, m *Model, c *Corpus, links map[[2]int32]float64, p Prior, seed uint64) {
	t.Helper()
	pairs := map[[2]int32]float64{}
	for e := range int32(len(m.sides[0].words.words)) {
		for slot := m.lexicon.row[e]; slot < m.lexicon.row[e+1]; slot++ {
			f := m.lexicon.col[slot]
			pairs[[2]int32{e, f}] = links[[2]int32{e, f}] + p.Pair("", "")
		}
	}
	var occurrences, ofClass [2]map[int32]float64
	byClass, between := [2]map[int32]float64{{}, {}}, map[[2]int32]float64{}
	for side := range occurrences {
		occurrences[side], ofClass[side] = map[int32]float64{}, map[int32]float64{}
		for _, w := range c.text[side].words {
			occurrences[side][w]++
			ofClass[side][m.sides[side].classes[w]]++
		}
	}
	for pair, n := range pairs {
		classes := [2]int32{m.sides[0].classes[pair[0]], m.sides[1].classes[pair[1]]}
		between[classes] += n
		byClass[0][classes[0]] += n
		byClass[1][classes[1]] += n
	}
	want := [2]map[int32]float64{{}, {}}
	for pair, n := range pairs {
		classes := [2]int32{m.sides[0].classes[pair[0]], m.sides[1].classes[pair[1]]}
		for side, w := range pair {
			want[side][w] += n
			if byClass[side][classes[side]] > 0 {
				other := pair[1-side]
				want[side][w] += p.Classes * between[classes] / byClass[side][classes[side]] * occurrences[1-side][other] / ofClass[1-side][classes[1-side]]
			}
		}
	}
	for side, of := range m.own.total {
		for w, got := range of {
			if !near(got, want[side][int32(w)]) {
				t.Fatalf("seed %d: word %d of the %s has %v links, want %v", seed, w, sideNames[side], got, want[side][int32(w)])
			}
		}
	}
}

// remainderByHand checks the posteriors without own counts.
func remainderByHand(t *testing.T, m *Model, c *Corpus, seed uint64) {
	t.Helper()
	theta := slices.Clone(m.theta)
	for n := range c.Len() {
		p, q, err := m.PosteriorsOf(c, n)
		if err != nil {
			t.Fatal(err)
		}
		words := [2][]int32{c.text[0].sentence(n), c.text[1].sentence(n)}
		pair, of := map[[2]int32]float64{}, [2]map[int32]float64{{}, {}}
		for i := range words[0] {
			for j := range words[1] {
				pair[[2]int32{words[0][i], words[1][j]}] += 0
			}
		}
		m.own.each(n, func(cell int, x float64) {
			e, f := words[0][cell/len(words[1])], words[1][cell%len(words[1])]
			if m.lexicon.find(e, f) < 0 {
				return
			}
			pair[[2]int32{e, f}] += x
			of[0][e] += x
			of[1][f] += x
		})
		for l, count := range pair {
			slot := m.lexicon.find(l[0], l[1])
			for d, w := range l {
				if slot >= 0 {
					all := m.own.total[d][w]
					m.theta[2*int(slot)+d] = max((theta[2*int(slot)+d]*all-m.deleted*count)/(all-m.deleted*of[d][w]), m.floor)
				}
			}
		}
		for d, got := range []*Posterior{p, q} {
			x := &enumerated{m: m, d: d, step: m.decode, hidden: words[d], seen: words[1-d]}
			x.sum()
			for i, got := range got.P {
				l := [2]int{i / len(words[1]), i % len(words[1])}
				if want := x.links[[2]int{l[d], l[1-d]}]; !near(got, want) {
					t.Fatalf("seed %d: sentence %d, direction %d, link %v has posterior %v, want %v", seed, n, d, l, got, want)
				}
			}
		}
		copy(m.theta, theta)
	}
}

// TestOwnAdapted: a model adapted to new text leaves out what its sentences counted, beside the
// totals that training had before, for any number of workers.
func TestOwnAdapted(t *testing.T) {
	for seed := range trials.Seeds(20) {
		r := random(seed)
		o := agreed(HMM, 1+r.IntN(2))
		m, c := train(t, randomCorpus(r, 20, 4), o), randomCorpus(r, 3, 4)
		adapt := func(k, workers int) *Model {
			f := &FitOptions{Stages: []Stage{o.Stages[0], {HMM, k, Own, Multiplied}}}
			f.Workers = workers
			out, err := m.Adapt(t.Context(), c, f)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		k := 1 + r.IntN(2)
		got := adapt(k, 1)
		links := ownByHand(t, got, adapt(k-1, 1), c, seed)
		law := got.table.translations.Law().(*recordedLaw).links.(*added)
		want := [2][]float64{slices.Clone(law.all[:law.words]), slices.Clone(law.all[law.words:])}
		for pair, n := range links {
			want[0][pair[0]] += n
			want[1][pair[1]] += n
		}
		for side := range want {
			for w, x := range got.own.total[side] {
				if !near(x, want[side][w]) {
					t.Fatalf("seed %d: word %d of the %s has %v links, want %v", seed, w, sideNames[side], x, want[side][w])
				}
			}
		}
		remainderByHand(t, got, c, seed)
		if !slices.Equal(decoded(t, adapt(k, 3), c), decoded(t, got, c)) {
			t.Fatalf("seed %d: other bits with 3 workers", seed)
		}
	}
}

// TestOwnBits: training is the same to the last bit whatever is left out, the residual string out is
// the same for any number of workers, and with a share of 0 it is nothing.
func TestOwnBits(t *testing.T) {
	c := randomCorpus(random(3), 130, 6)
	o := agreed(HMM, 2)
	o.Workers = 1
	m := train(t, c, o)
	if same(t, m, c) {
		t.Error("nothing was left out")
	}
	o.Workers = 4
	if got := train(t, c, o); !slices.Equal(decoded(t, got, c), decoded(t, m, c)) || !slices.Equal(got.theta, m.theta) {
		t.Error("other bits with 4 workers")
	}
	o.Deleted = 0
	if got := train(t, c, o); !same(t, got, c) || !slices.Equal(got.theta, m.theta) {
		t.Error("other bits with a share of 0")
	}
}

// TestOwnWithout: where no counts fit, PosteriorsOf does without, and so does the model that
// was loaded until it is trained.
func TestOwnWithout(t *testing.T) {
	c := randomCorpus(random(5), 30, 5)
	for name, change := range map[string]func(o *setup){
		"another law":     func(o *setup) { o.Prior.Law = em.Dirichlet{Alpha: 2} },
		"other counts":    func(o *setup) { o.Stages[1].Counting = Averaged },
		"own decoding":    func(o *setup) { o.Decode = Own },
		"no iterations":   func(o *setup) { o.Stages[0].Iterations, o.Stages[1].Iterations = 0, 0 },
		"no stages":       func(o *setup) { o.Stages = []Stage{} },
		"separate counts": func(o *setup) { o.Stages[1].Counting = Separate },
	} {
		o := agreed(HMM, 2)
		change(o)
		if m := train(t, c, o); m.own != nil || !same(t, m, c) {
			t.Errorf("%s: something was left out", name)
		}
	}
	m := train(t, c, agreed(HMM, 2))
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	more := &FitOptions{Stages: []Stage{{HMM, 1, Own, Multiplied}}}
	for _, m := range []*Model{m, loaded} {
		if _, err := m.Fit(t.Context(), c, more); err != nil {
			t.Fatal(err)
		}
	}
	if same(t, loaded, c) || !slices.Equal(decoded(t, loaded, c), decoded(t, m, c)) {
		t.Error("a loaded model that was trained leaves out other counts")
	}
	ctx, cancel := context.WithCancel(t.Context())
	more.Observer = func(Progress) { cancel() }
	more.Workers = 1
	if _, err := m.Fit(ctx, c, more); err == nil && m.own == nil || err != nil && m.own != nil {
		t.Errorf("stopped: %v", err)
	}
}

// TestOwnCheckpoint: a run that was stopped and resumed leaves out the same, also where it was
// stopped behind its last M step; without the file for that it does without.
func TestOwnCheckpoint(t *testing.T) {
	c := randomCorpus(random(7), 30, 5)
	want := decoded(t, train(t, c, agreed(HMM, 3)), c)
	o := agreed(HMM, 3)
	o.Checkpoint = filepath.Join(t.TempDir(), "state")
	var m *Model
	for {
		ctx, cancel := context.WithCancel(t.Context())
		o.Observer = func(*Model, Progress) { cancel() }
		var err error
		m, _, err = o.train(ctx, c)
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || m.own != nil {
			t.Fatalf("%v", err)
		}
	}
	o.Observer = nil
	for range 2 { // the second time no iteration is left
		if m.own == nil || !slices.Equal(decoded(t, m, c), want) {
			t.Error("other bits after a stop")
		}
		m = train(t, c, o)
	}
	file := o.Checkpoint + ".1.own"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	for _, spoil := range []func() error{func() error { return os.WriteFile(file, text, 0o666) }, func() error { return os.Remove(file) }} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		m, r, err := o.train(t.Context(), c)
		if err != nil || m.own != nil || !same(t, m, c) {
			t.Errorf("counts without a file, error %v", err)
		}
		if len(r.Remarks) != 1 || !strings.Contains(r.Remarks[0], file) {
			t.Errorf("remarks %q, want one that names %s", r.Remarks, file)
		}
	}
}
