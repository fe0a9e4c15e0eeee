package align

import (
	"slices"
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
