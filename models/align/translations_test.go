package align

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// The lexicon is estimated word by word by the law, from counts and what the prior adds.
func TestLexiconEstimate(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := random(seed)
		c := randomCorpus(r, 20, 5)
		l := newLexicon(c)
		stem := func(w string) string { return string('a' + (w[0]-'a')/2) }
		pairs := func(e, f string) float64 { return float64((int(e[0])*7 + int(f[0])) % 3) }
		law := []em.Law{em.Multinomial{}, em.Dirichlet{Alpha: 1.5}, em.Variational{Alpha: .1}}[seed%3]
		known := Prior{Law: law, Pair: pairs, Stem: stem, Strength: []float64{.5, 2}[seed%2]}
		if seed%5 == 0 {
			known.Stem, known.Strength = nil, 0
		}
		if seed%7 == 0 {
			known.Pair = nil
		}
		var classes [2][]int32
		if seed%4 > 0 {
			known.Classes = float64(seed % 4)
			for side := range classes {
				for range c.words[side].words {
					classes[side] = append(classes[side], int32(r.IntN(2)))
				}
			}
		}
		p, err := newPrior(known, l, c, classes)
		if err != nil {
			t.Fatal(err)
		}
		group := &translations{lexicon: l, numF: len(c.words[1].words), prior: p}
		theta, links := make([]float64, 2*len(l.col)), make([]float64, 2*len(l.col))
		group.Start(theta)
		for i := range links {
			links[i] = r.ExpFloat64()
		}
		counts := slices.Clone(links)
		if err := group.Maximize(theta, counts); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(counts, links) {
			t.Fatal("the M step changes counts")
		}
		for d := range 2 {
			checkLexicon(t, l, c, theta, links, d, known, classes)
		}
	}
}

// backing is what classes of words say, as the definition has it.
type backing struct {
	strength                   float64
	stem                       [2]func(w string) string // of a given word, of another
	tokens, classTokens, total map[string]float64
	classes                    map[[2]string]float64
}

func (b *backing) of(given, other string) float64 {
	g, o := b.stem[0](given), b.stem[1](other)
	return b.strength * b.classes[[2]string{g, o}] / b.total[g] * b.tokens[other] / b.classTokens[o]
}

// backings returns those of direction d.
func backings(c *Corpus, d int, known Prior, classes [2][]int32) []*backing {
	var out []*backing
	if known.Stem != nil {
		out = append(out, &backing{strength: known.Strength, stem: [2]func(string) string{known.Stem, known.Stem}})
	}
	if known.Classes > 0 {
		of := func(side int) func(string) string {
			return func(w string) string { return string('0' + classes[side][slices.Index(c.words[side].words, w)]) }
		}
		out = append(out, &backing{strength: known.Classes, stem: [2]func(string) string{of(d), of(1 - d)}})
	}
	for _, b := range out {
		b.tokens, b.classTokens, b.total, b.classes = map[string]float64{}, map[string]float64{}, map[string]float64{}, map[[2]string]float64{}
		for _, w := range c.text[1-d].words {
			word := c.words[1-d].words[w]
			b.tokens[word]++
			b.classTokens[b.stem[1](word)]++
		}
	}
	return out
}

func checkLexicon(t *testing.T, l *lexicon, c *Corpus, theta, links []float64, d int, known Prior, wordClasses [2][]int32) {
	t.Helper()
	pairs, law := known.Pair, known.Law
	if pairs == nil {
		pairs = func(_, _ string) float64 { return 0 }
	}
	given := c.words[d].words
	each := func(visit func(g, o string, slot int32)) {
		for e := range c.words[0].words {
			for slot := l.row[e]; slot < l.row[e+1]; slot++ {
				names := [2]string{c.words[0].words[e], c.words[1].words[l.col[slot]]}
				visit(names[d], names[1-d], slot)
			}
		}
	}
	seen := func(g, o string) float64 {
		if d == fe {
			g, o = o, g
		}
		return pairs(g, o)
	}
	backs := backings(c, d, known, wordClasses)
	each(func(g, o string, slot int32) {
		x := links[2*int(slot)+d] + seen(g, o)
		for _, b := range backs {
			b.classes[[2]string{b.stem[0](g), b.stem[1](o)}] += x
			b.total[b.stem[0](g)] += x
		}
	})
	for _, g := range given {
		var want, own []float64
		var slots []int32
		each(func(h, o string, slot int32) {
			if h != g {
				return
			}
			n := links[2*int(slot)+d] + seen(h, o)
			for _, b := range backs {
				n += b.of(h, o)
			}
			want, slots = append(want, n), append(slots, slot)
		})
		own = make([]float64, len(want))
		law.Start(own)
		if err := law.Maximize(own, want); err != nil {
			t.Fatal(err)
		}
		p := em.NewParams()
		p.Group("word", len(own), law)
		for n, v := range p.Values(own) {
			if got := theta[2*int(slots[n])+d]; !near(got, v.Float64()) {
				t.Fatalf("%T: direction %d: word %s: translation %d has probability %v, want %v", law, d, g, n, got, v.Float64())
			}
		}
	}
}

// classLikelihood is the log likelihood of a text under a bigram model of classes, as
// far as it depends on them, from its definition.
func classLikelihood(t *text, class []int32, classes int) float64 {
	size, bigram := map[int32]float64{}, map[[2]int32]float64{}
	boundary := int32(classes)
	for s := range len(t.first) - 1 {
		last := boundary
		size[boundary]++
		for _, w := range t.sentence(s) {
			size[class[w]]++
			bigram[[2]int32{last, class[w]}]++
			last = class[w]
		}
		bigram[[2]int32{last, boundary}]++
	}
	sum := 0.0
	for _, n := range bigram {
		sum += n * math.Log(n)
	}
	for _, n := range size {
		sum -= 2 * n * math.Log(n)
	}
	return sum
}

// When the exchange ends, no word can move to a better class.
func TestExchangeEndsAtAnOptimum(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := random(seed)
		c := randomCorpus(r, 15, 6)
		words, classes := len(c.words[0].words), 2+r.IntN(2)
		x := newExchange(&c.text[0], words, classes)
		for range 50 {
			moved := false
			for _, w := range x.order {
				before := classLikelihood(&c.text[0], x.class, classes)
				moves := x.move(w)
				if after := classLikelihood(&c.text[0], x.class, classes); after < before-1e-9 || moves && after <= before {
					t.Fatalf("seed %d: a move from %v to %v", seed, before, after)
				}
				moved = moved || moves
			}
			if !moved {
				break
			}
		}
		best := classLikelihood(&c.text[0], x.class, classes)
		for w := range words {
			old := x.class[w]
			for other := range int32(classes) {
				x.class[w] = other
				if l := classLikelihood(&c.text[0], x.class, classes); l > best+1e-6 {
					t.Fatalf("seed %d: word %d does better in class %d: %v, not %v", seed, w, other, l, best)
				}
			}
			x.class[w] = old
		}
	}
}

// TestRareClass: words that were not seen are in the class of most words seen once, and other
// words in their own.
func TestRareClass(t *testing.T) {
	class := []int32{2, 0, 1, 1, 0, 1}
	for _, test := range []struct {
		seen []int32
		want int32
	}{{[]int32{1, 1, 1, 1, 9, 9}, 1}, {[]int32{1, 1, 9, 9, 1, 9}, 0}, {[]int32{1, 1, 9, 9, 9, 9}, 2}, {[]int32{9, 9, 9, 9, 9, 9}, 0}} {
		if got := rareClass(class, test.seen, 3); got != test.want {
			t.Errorf("%v: class %d, want %d", test.seen, got, test.want)
		}
	}
	if got := classesOf(nil, class, 1, []int32{0, unknown, 4}); !slices.Equal(got, []int32{2, 1, 0}) {
		t.Errorf("classes %v", got)
	}
}

// Words that training has not seen do not take the links of the others away, unless it was
// asked for no floor: then there are no posteriors, and an error says so.
func TestUnseenWords(t *testing.T) {
	c := textOf(t, lines...)
	s := Sentence{strings.Fields("the new house"), strings.Fields("das neue haus")}
	for _, positions := range []Positions{Model1, Model2, Diagonal, HMM} {
		for _, counting := range []Counting{Separate, Multiplied} {
			o := &setup{Stages: []Stage{{positions, 10, Own, counting}}}
			p, q, err := train(t, c, o).Posteriors(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range [][2]int{{0, 0}, {2, 2}} {
				if p.At(l[0], l[1]) < .4 || q.At(l[0], l[1]) < .4 {
					t.Errorf("%v, %v: link %v has posteriors %v and %v", positions, counting, l, p.At(l[0], l[1]), q.At(l[0], l[1]))
				}
			}
			o.Floor = -1
			m := train(t, c, o)
			if p, q, err := m.Posteriors(s); !errors.Is(err, em.ErrUnderivable) || p != nil || q != nil {
				t.Errorf("%v, %v: without a floor: %v, %v, %v", positions, counting, p, q, err)
			}
			if x, y, err := m.LogProb(s); err != nil || !math.IsInf(x, -1) || !math.IsInf(y, -1) {
				t.Errorf("%v, %v: without a floor: scores %v and %v, %v", positions, counting, x, y, err)
			}
		}
	}
}

// No translation probability falls below the floor, also given NULL.
func TestFloor(t *testing.T) {
	for _, floor := range []float64{0, 1e-3} {
		o := &setup{Stages: []Stage{{Model1, 5, Own, Multiplied}}, Floor: floor}
		if floor == 0 {
			floor = defaultFloor
		}
		m := train(t, textOf(t, lines...), o)
		if least := slices.Min(m.table.translations.In(m.theta)); least != floor {
			t.Errorf("the least probability of a pair is %g, want %g", least, floor)
		}
		for d, g := range m.table.null {
			if least := slices.Min(g.In(m.theta)); least < floor {
				t.Errorf("direction %d: the least probability given NULL is %g, want %g", d, least, floor)
			}
		}
	}
}

// What an observer asks the model while it is trained is answered by the parameters of that
// moment.
func TestModelInTraining(t *testing.T) {
	c, s := textOf(t, lines...), Sentence{strings.Fields("the small dog"), strings.Fields("der kleine hund")}
	o := recipe()
	o.Observer = func(m *Model, p Progress) {
		read, err := Load(bytes.NewReader(written(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, _, err := m.Posteriors(s)
			if err != nil {
				t.Fatal(err)
			}
			if want, _, err := read.Posteriors(s); err != nil || !slices.Equal(got.P, want.P) {
				t.Errorf("stage %d, iteration %d: %v, want %v; %v", p.Stage, p.Iteration, got.P, want, err)
			}
		}
	}
	train(t, c, o)
}
