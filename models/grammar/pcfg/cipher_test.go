package pcfg_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/grammar/pcfg"
	"example.org/pathsum/models/grammar/treebank"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// pairs are the brackets of a language, and how often each opens.
var pairs = map[string]float64{"ab": .5, "cd": .3, "ef": .15, "gh": .05}

const alphabet = "abcdefgh"

// brackets returns the rules of well-formed sequences of brackets, not empty.
func brackets() []pcfg.Rule {
	rules := []pcfg.Rule{{Left: "S", Right: []string{"W", "S"}, Weight: .35}, {Left: "S", Right: []string{"W"}, Weight: .65}}
	for _, p := range []string{"ab", "cd", "ef", "gh"} {
		open, shut, rest := p[:1], p[1:], strings.ToUpper(p)
		rules = append(rules, pcfg.Rule{Left: "W", Right: []string{open, rest}, Weight: pairs[p]},
			pcfg.Rule{Left: rest, Right: []string{"S", shut}, Weight: .55}, pcfg.Rule{Left: rest, Right: []string{shut}, Weight: .45})
	}
	return rules
}

// sentence draws a string of 4 to 24 letters.
func sentence(rules []pcfg.Rule, r *rand.Rand) string {
	var derive func(symbol string, room *int) string
	derive = func(symbol string, room *int) string {
		if symbol >= "a" {
			*room--
			return symbol
		}
		u, s := r.Float64(), ""
		for _, rule := range rules {
			if rule.Left != symbol {
				continue
			}
			if u -= rule.Weight; u < 0 {
				for _, x := range rule.Right {
					if *room > 0 {
						s += derive(x, room)
					}
				}
				break
			}
		}
		return s
	}
	for {
		room := 25
		if s := derive("S", &room); room > 0 && len(s) >= 4 {
			return s
		}
	}
}

// channel adds the parameters of a cipher with noise to params: what each letter becomes.
func channel(params *em.Params) []*em.Group {
	var groups []*em.Group
	for _, c := range alphabet {
		groups = append(groups, params.Group("cipher of "+string(c), len(alphabet), em.Multinomial{}))
	}
	return groups
}

// lattice returns what a cipher text may stand for, by the labels of letters.
func lattice(params *em.Params, cipher []*em.Group, label func(letter string) int32, text string) (*fst.FST[expr.W], error) {
	b := fst.NewBuilder(params.Space())
	b.AddStates(len(text) + 1)
	b.AddStart(0, expr.One)
	b.SetFinal(int32(len(text)), expr.One)
	for i := range len(text) {
		for k, c := range alphabet {
			l := label(string(c))
			b.AddArc(int32(i), fst.Arc[expr.W]{In: l, Out: l, To: int32(i + 1), Weight: cipher[k].Weight(int(text[i] - 'a'))})
		}
	}
	return b.Freeze()
}

// byGrammar trains a cipher on texts in front of which the grammar stands, whose rules stay as
// they are. It begins with the given cipher, and returns what texts most probably stand for.
func byGrammar(t *testing.T, rules []pcfg.Rule, texts []string, start []float64) []string {
	g, err := pcfg.New("S", rules, em.Fixed{})
	if err != nil {
		t.Fatal(err)
	}
	cipher := channel(g.Params)
	g.Theta = g.Params.Start()
	copy(g.Theta[cipher[0].First():], start)
	label := func(letter string) int32 { l, _ := g.Symbols().Find(letter); return l }
	var data pcfg.Data
	for _, text := range texts {
		f, err := lattice(g.Params, cipher, label, text)
		if err != nil {
			t.Fatal(err)
		}
		data.Lattices = append(data.Lattices, f)
	}
	if _, err := g.Fit(context.Background(), data, &em.Options{Iterations: 60, Tolerance: 1e-6}); err != nil {
		t.Fatal(err)
	}
	p, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	var plain []string
	for _, f := range data.Lattices {
		tree, _, err := p.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		plain = append(plain, letters(tree))
	}
	return plain
}

func letters(t *treebank.Tree) string {
	if len(t.Children) == 0 {
		return t.Word
	}
	s := ""
	for _, c := range t.Children {
		s += letters(c)
	}
	return s
}

// byBigram does what byGrammar does with a bigram model of letters, counted in sample, from
// random ciphers. It returns the cipher, too.
func byBigram(t *testing.T, sample, texts []string) (plain []string, cipherFound []float64) {
	params := em.NewParams()
	cipher := channel(params)
	space := params.Space()
	const end = len(alphabet) // also where strings begin
	var count [end + 1][end + 1]float64
	for _, s := range sample {
		from := end
		for _, c := range s {
			count[from][c-'a']++
			from = int(c - 'a')
		}
		count[from][end]++
	}
	b := fst.NewBuilder(space)
	b.AddStates(end + 1)
	b.AddStart(int32(end), expr.One)
	for from, row := range count {
		sum := 0.0
		for _, n := range row {
			sum += n
		}
		for to, n := range row {
			w := space.Const(semiring.NewScaled(n / sum))
			switch {
			case n == 0:
			case to == end:
				b.SetFinal(int32(from), w)
			default:
				b.AddArc(int32(from), fst.Arc[expr.W]{In: int32(to + 1), Out: int32(to + 1), To: int32(to), Weight: w})
			}
		}
	}
	source, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	var machines []*fst.FST[expr.W]
	for _, text := range texts {
		f, err := lattice(params, cipher, func(letter string) int32 { return int32(letter[0]-'a') + 1 }, text)
		if err != nil {
			t.Fatal(err)
		}
		m, err := fst.Expand(fst.Compose(source, f), &fst.Options{Limit: 1 << 16})
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, m)
	}
	l, err := cascade.Derivations{Examples: len(texts), Graph: func(i int) (*graph.Graph[expr.W], error) { return machines[i].Graph(), nil }}.Likelihood(params)
	if err != nil {
		t.Fatal(err)
	}
	result, err := em.Fit(context.Background(), l, &em.Options{
		Iterations: 60, Tolerance: 1e-6, Restarts: 39, Rand: rand.NewPCG(1, 2), Prune: em.Prune{After: 6, Keep: .3},
	})
	if err != nil {
		t.Fatal(err)
	}
	values, err := space.Evaluate(nil, params.Values(result.Theta))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range machines {
		path, err := graph.BestPath(graph.Map(m.Graph(), semiring.Viterbi{}, func(w expr.W) semiring.ScaledFloat { return values[w] }))
		if err != nil {
			t.Fatal(err)
		}
		s := ""
		for _, e := range path.Arcs {
			s += alphabet[m.In()[e]-1 : m.In()[e]]
		}
		plain = append(plain, s)
	}
	return plain, result.Theta
}

// TestCipher: a text in cipher, one letter in seven replaced by any, is read better by who
// parses it than by who knows which letters follow each other. Neither knows the key; the
// parser begins with what bigrams have found.
func TestCipher(t *testing.T) {
	rules, r := brackets(), rand.New(rand.NewPCG(3, 4))
	key := r.Perm(len(alphabet))
	var plain, texts, sample []string
	for range 100 {
		s := sentence(rules, r)
		text := make([]byte, len(s))
		for i := range s {
			text[i] = alphabet[key[s[i]-'a']]
			if r.IntN(7) == 0 {
				text[i] = alphabet[r.IntN(len(alphabet))]
			}
		}
		plain, texts = append(plain, s), append(texts, string(text))
	}
	for range 20000 {
		sample = append(sample, sentence(rules, r))
	}
	right := func(got []string) float64 {
		n, all := 0, 0
		for i, s := range plain {
			for k := range s {
				if all++; got[i][k] == s[k] {
					n++
				}
			}
		}
		return float64(n) / float64(all)
	}
	byLetters, cipher := byBigram(t, sample, texts)
	parsed, chained := right(byGrammar(t, rules, texts, cipher)), right(byLetters)
	t.Logf("letters right: %.1f %% parsed, %.1f %% by bigrams", 100*parsed, 100*chained)
	if parsed < .88 || parsed < chained+.03 {
		t.Errorf("letters right: %v parsed, %v by bigrams", parsed, chained)
	}
}
