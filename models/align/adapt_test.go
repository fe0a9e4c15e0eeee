package align

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// byName is Model 1 of sentences added to a training text, in maps by the words' names.
type byName struct {
	text  []Sentence
	t     [2]map[[2]string]float64 // by the words of E and of F
	null  [2]map[string]float64
	floor float64
	rate  float64
	pair  func(e, f string) float64 // of pairs that are not in the lexicon
}

// posteriors returns those of the links of word j of E and k of F of a sentence, and of NULL, in
// both directions, in an E step.
func (b *byName) posteriors(s Sentence, step EStep) (links [2]map[[2]int]float64, none [2][]float64) {
	for d := range links {
		links[d] = map[[2]int]float64{}
		hidden, seen := s.Source, s.Target
		if d == fe {
			hidden, seen = seen, hidden
		}
		rate := b.rate
		if rate == 0 {
			rate = 1 / float64(len(hidden)+1)
		}
		for j, y := range seen {
			total := rate * b.null[d][y]
			at := func(i int) [2]int {
				if d == fe {
					return [2]int{j, i}
				}
				return [2]int{i, j}
			}
			for i := range hidden {
				k := at(i)
				w := [2]string{s.Source[k[0]], s.Target[k[1]]}
				p := (1 - rate) / float64(len(hidden)) * b.t[d][w]
				if step == Joint {
					p *= b.t[1-d][w]
				}
				links[d][k] = p
				total += p
			}
			for i := range hidden {
				links[d][at(i)] /= total
			}
			none[d] = append(none[d], rate*b.null[d][y]/total)
		}
	}
	return links, none
}

// fit adds the counts of the sentences to those of the training text, n times anew.
func (b *byName) fit(m *Model, stage Stage, n int) {
	seen := func(side int, w string) float64 {
		if id := m.sides[side].words.find(w); id >= 0 {
			return float64(m.sides[side].seen[id])
		}
		return 0
	}
	theta := m.table.translations.In(m.theta)
	slot := func(w [2]string) int32 {
		return m.searcher().find(m.sides[0].words.find(w[0]), m.sides[1].words.find(w[1]))
	}
	known := func(d int, w [2]string) float64 {
		if slot(w) < 0 {
			return b.pair(w[0], w[1])
		}
		return theta[2*int(slot(w))+d] * seen(d, w[d])
	}
	for pass := range n + 1 {
		counts, fromNone := [2]map[[2]string]float64{{}, {}}, [2]map[string]float64{{}, {}}
		for _, s := range b.text {
			b.count(s, stage, pass == 0, counts, fromNone)
		}
		for d := range counts {
			all := map[string]float64{}
			for w, c := range counts[d] {
				all[w[d]] += c
				if slot(w) < 0 {
					all[w[d]] += b.pair(w[0], w[1])
				}
			}
			b.t[d] = map[[2]string]float64{}
			for w, c := range counts[d] {
				b.t[d][w] = max(b.floor, (known(d, w)+c)/(seen(d, w[d])+all[w[d]]))
			}
			share := .02 * float64(m.sides[1-d].tokens)
			total := share
			for _, c := range fromNone[d] {
				total += c
			}
			b.null[d] = map[string]float64{}
			for w, c := range fromNone[d] {
				before := 0.0
				if id := m.sides[1-d].words.find(w); id >= 0 {
					before = share * m.table.null[d].In(m.theta)[id]
				}
				b.null[d][w] = max(b.floor, (before+c)/total)
			}
		}
	}
}

// count adds the counts of a sentence: at first links of a word with all of the other side.
func (b *byName) count(s Sentence, stage Stage, first bool, counts [2]map[[2]string]float64, fromNone [2]map[string]float64) {
	words := [2][]string{s.Source, s.Target}
	links, none := [2]map[[2]int]float64{{}, {}}, [2][]float64{}
	if first {
		for d := range links {
			for i := range words[0] {
				for j := range words[1] {
					links[d][[2]int{i, j}] = 1 / float64(len(words[d]))
				}
			}
			for range words[1-d] {
				none[d] = append(none[d], 1/float64(len(words[d])+1))
			}
		}
	} else {
		links, none = b.posteriors(s, stage.EStep)
	}
	for d := range counts {
		for k, p := range links[d] {
			switch {
			case !first && stage.Counting == Averaged:
				p = (links[ef][k] + links[fe][k]) / 2
			case !first && stage.Counting == Multiplied:
				p = links[ef][k] * links[fe][k]
			}
			counts[d][[2]string{words[0][k[0]], words[1][k[1]]}] += p
		}
		for j, p := range none[d] {
			if !first && stage.Counting == Averaged {
				p /= 2 // the objective is half of the sum of both directions'
			}
			fromNone[d][words[1-d][j]] += p
		}
	}
}

// adapt is Adapt to a single sentence, and its posteriors.
func adapt(m *Model, s Sentence, opts *FitOptions) (forward, backward *Posterior, err error) {
	c := NewCorpus()
	if err := c.Add(s); err != nil {
		return nil, nil, err
	}
	if m, err = m.Adapt(context.Background(), c, opts); err != nil {
		return nil, nil, err
	}
	return m.PosteriorsOf(c, 0)
}

// distribute makes distributions of the translations of each word, as those of training are:
// counts that are held are no more than there were.
func (m *Model) distribute() {
	l, t := m.lexicon, m.table.translations.In(m.theta)
	of := [2][]float64{make([]float64, len(m.sides[0].words.words)), make([]float64, len(m.sides[1].words.words))}
	each := func(visit func(p, sum *float64)) {
		for e := range int32(len(l.row) - 1) {
			for slot := l.row[e]; slot < l.row[e+1]; slot++ {
				visit(&t[2*slot+ef], &of[0][e])
				visit(&t[2*slot+fe], &of[1][l.col[slot]])
			}
		}
	}
	each(func(p, sum *float64) { *sum += *p })
	each(func(p, sum *float64) { *p /= *sum })
}

// TestAdapt: the same by the names of words, with words that are known and unknown, in
// sentences that learn from each other, and by any number of workers.
func TestAdapt(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := random(seed)
		m := randomModel(r, Model1)
		m.decode = Own
		m.distribute()
		c := NewCorpus()
		b := &byName{floor: m.floor, rate: float64(m.null), pair: func(e, f string) float64 { return 0 }}
		for range 1 + r.IntN(4) {
			s := randomSentence(r, 5)
			if r.IntN(2) == 0 {
				s.Source = append(s.Source, "new", "new")
			}
			if r.IntN(2) == 0 {
				s.Target = append(s.Target, "neu")
			}
			b.text = append(b.text, s)
			if err := c.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		n := r.IntN(4)
		stage := Stage{Model1, n, []EStep{Own, Joint}[r.IntN(2)], Counting(r.IntN(3))}
		opts := &FitOptions{Stages: []Stage{stage}}
		opts.Workers = 1 + r.IntN(3)
		if r.IntN(2) == 0 {
			b.pair = func(e, f string) float64 { return float64(len(e)) / float64(1+len(f)) }
			opts.Prior.Pair = b.pair
		}
		b.fit(m, stage, n)
		out, err := m.Adapt(t.Context(), c, opts)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		opts.Workers = 1
		alone, err := m.Adapt(t.Context(), c, opts)
		if err != nil || !slices.Equal(alone.theta, out.theta) {
			t.Errorf("seed %d: another number of workers: %v", seed, err)
		}
		for n, s := range b.text {
			links, _ := b.posteriors(s, Own)
			forward, backward, err := out.PosteriorsOf(c, n)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			within(t, "by the words", 0)(out.Posteriors(s))(forward, backward, nil)
			for d, p := range []*Posterior{forward, backward} {
				for k, want := range links[d] {
					if got := p.At(k[0], k[1]); !(math.Abs(got-want) < 1e-9) {
						t.Errorf("seed %d, sentence %d, direction %d, link %v: %g, want %g", seed, n, d, k, got, want)
					}
				}
			}
		}
	}
}

// TestAdaptToText: sentences that have a new word in common learn it from each other.
func TestAdaptToText(t *testing.T) {
	m := randomModel(random(1), Model1)
	c := NewCorpus()
	for _, s := range []Sentence{{[]string{"x", "y"}, []string{"X", "Y"}}, {[]string{"x", "z"}, []string{"Z", "X"}}} {
		if err := c.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	out, err := m.Adapt(t.Context(), c, &FitOptions{Stages: []Stage{{Model1, 8, Own, Multiplied}}})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{"0-0 1-1", "0-1 1-0"} {
		forward, backward, err := out.PosteriorsOf(c, n)
		if got := Average(forward, backward).Align(.5).String(); err != nil || got != want {
			t.Errorf("sentence %d: %s, %v, want %s", n, got, err, want)
		}
	}
	// What was adapted can be saved, and be adapted again.
	var file bytes.Buffer
	if err := out.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range c.Len() {
		within(t, "loaded", 0)(loaded.Posteriors(c.Sentence(n)))(out.PosteriorsOf(c, n))
	}
	if _, err := loaded.Adapt(t.Context(), c, &FitOptions{Stages: []Stage{{Model1, 1, Own, Multiplied}}}); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Adapt(ctx, c, &FitOptions{Stages: []Stage{{Model1, 1, Own, Separate}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := m.Adapt(t.Context(), NewCorpus(), nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("no sentences: %v", err)
	}
}

// TestAdaptToNothing: with no training text at all it is training on the sentence, and with
// one of endless length the sentence adds nothing.
func TestAdaptToNothing(t *testing.T) {
	s := Sentence{[]string{"the", "house", "is", "small"}, []string{"la", "maison", "est"}}
	for counting := Separate; counting <= Multiplied; counting++ {
		stages := []Stage{{Model1, 3, Own, counting}}
		c := NewCorpus()
		if err := c.Add(s); err != nil {
			t.Fatal(err)
		}
		fitted, err := New(c, &Options{Classes: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fitted.Fit(t.Context(), c, &FitOptions{Stages: stages}); err != nil {
			t.Fatal(err)
		}
		m, err := New(randomCorpus(random(1), 3, 4), &Options{Classes: 1})
		if err != nil {
			t.Fatal(err)
		}
		m.sides[0].tokens, m.sides[1].tokens = 0, 0
		within(t, fmt.Sprint("nothing ", counting), 1e-12)(adapt(m, s, &FitOptions{Stages: stages}))(fitted.Posteriors(s))
	}
	for kind := Model1; kind <= HMM; kind++ {
		c := randomCorpus(random(2), 8, 4)
		m := randomModelOf(random(2), kind, c)
		m.floor = 0
		for side := range m.sides {
			for w := range m.sides[side].seen {
				m.sides[side].seen[w] = math.MaxInt32
			}
			m.sides[side].tokens = math.MaxInt
		}
		for n := range c.Len() {
			s := c.Sentence(n)
			if _, _, err := m.Posteriors(s); errors.Is(err, em.ErrUnderivable) {
				continue
			}
			within(t, fmt.Sprint("endless ", kind), 1e-3)(adapt(m, s, &FitOptions{Stages: []Stage{{kind, 2, Own, Multiplied}}}))(m.Posteriors(s))
		}
	}
}

// within returns what asserts that the posteriors of two calls are the same but for so much.
func within(t *testing.T, name string, tolerance float64) func(f, b *Posterior, err error) func(f, b *Posterior, err error) {
	return func(f, b *Posterior, err error) func(f, b *Posterior, err error) {
		return func(f1, b1 *Posterior, err1 error) {
			t.Helper()
			if err != nil || err1 != nil {
				t.Errorf("%s: %v, %v", name, err, err1)
				return
			}
			for d, p := range []*Posterior{f, b} {
				for i, want := range []*Posterior{f1, b1}[d].P {
					if !(math.Abs(p.P[i]-want) <= tolerance) {
						t.Errorf("%s, direction %d, cell %d: %g, want %g", name, d, i, p.P[i], want)
					}
				}
			}
		}
	}
}

// TestAdaptLearnsWords: a word that training has not seen gets the link that is left over,
// also from a model that was saved, and the model stays what it is.
func TestAdaptLearnsWords(t *testing.T) {
	c := NewCorpus()
	for range 5 {
		for _, s := range [][2][]string{{{"the", "house"}, {"la", "maison"}}, {{"the", "car"}, {"la", "voiture"}}, {{"a", "house"}, {"une", "maison"}}} {
			if err := c.Add(Sentence{s[0], s[1]}); err != nil {
				t.Fatal(err)
			}
		}
	}
	m, err := New(c, &Options{Decode: Joint})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fit(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	s := Sentence{[]string{"the", "zebra"}, []string{"la", "zèbre"}}
	before, _, _ := m.Posteriors(s)
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	forward, backward, err := adapt(loaded, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := Average(forward, backward).Align(.5).String(); got != "0-0 1-1" || before.At(1, 1) > .1 {
		t.Errorf("links %s; without them %g", got, before.At(1, 1))
	}
	within(t, "loaded", 0)(forward, backward, nil)(adapt(m, s, nil))
	if after, _, _ := m.Posteriors(s); after.At(1, 1) != before.At(1, 1) {
		t.Error("the model has changed")
	}
	for name, stages := range map[string][]Stage{"positions": {{Model2, 1, Own, Separate}}, "counting": {{Model1, 1, Own, 9}}} {
		if _, _, err := adapt(m, s, &FitOptions{Stages: stages}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := &FitOptions{Prior: Prior{Pair: func(e, f string) float64 { return -1 }}}
	if _, _, err := adapt(m, s, bad); !errors.Is(err, ErrInvalid) {
		t.Errorf("links beforehand: %v", err)
	}
	if _, _, err := adapt(m, Sentence{}, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("no words: %v", err)
	}
}
