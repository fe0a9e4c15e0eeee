package grammar

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/grammar/treebank"
)

// oracle computes probabilities of trees by the models' stories, from the values of the
// parameters.
type oracle struct {
	m     *Model
	theta []float64
	tags  []int32
}

func (o *oracle) p(g *em.Group, i int) float64 { return g.In(o.theta)[i] }

// story returns the probability that the DMV tells of heads.
func (o *oracle) story(heads []int) float64 {
	d, p := o.m.dmv, 1.0
	for h, tag := range o.tags {
		if heads[h] < 0 {
			p *= o.p(d.root, int(tag))
		}
		for side, step := range []int{-1, 1} {
			adjacent := true
			for a := h + step; a >= 0 && a < len(heads); a += step {
				if heads[a] == h {
					p *= o.p(d.choice(tag, side, adjacent), going) * o.p(d.arguments[tag][side], int(o.tags[a]))
					adjacent = false
				}
			}
			p *= o.p(d.choice(tag, side, adjacent), stopping)
		}
	}
	return p
}

// context returns the probability that the CCM gives to all spans and a binary bracketing.
func (o *oracle) context(spans []treebank.Span) float64 {
	n, p := len(o.tags), 1.0
	for i := range n + 1 {
		for j := i; j <= n; j++ {
			b := isNot
			if j-i == 1 || slices.Contains(spans, treebank.Span{I: i, J: j}) {
				b = is
			}
			t := o.m.ccm.table
			p *= o.p(o.m.ccm.yields[b], t.yieldOf(o.tags[i:j])) * o.p(o.m.ccm.contexts[b], t.contextOf(o.tags, i, j))
		}
	}
	return p / catalan(n)
}

// catalan returns the number of binary trees over n words.
func catalan(n int) float64 {
	c := 1.0
	for k := 2; k <= n; k++ {
		c = c * float64(4*k-6) / float64(k)
	}
	return c
}

// tree is a structure with its probability.
type tree struct {
	heads []int
	spans []treebank.Span
	p     float64
}

// trees lists all structures of a sentence with their probabilities.
func (o *oracle) trees() (all []tree) {
	n := len(o.tags)
	if o.m.kind == CCM {
		for _, spans := range bracketingsOf(0, n) {
			slices.SortFunc(spans, treebank.Span.Compare)
			all = append(all, tree{spans: spans, p: o.context(spans)})
		}
		return all
	}
	heads := make([]int, n)
	var fill func(i int)
	fill = func(i int) {
		if i < n {
			for heads[i] = -1; heads[i] < n; heads[i]++ {
				fill(i + 1)
			}
			return
		}
		spans, err := treebank.BinarySpans(heads)
		if err != nil {
			return
		}
		x := tree{slices.Clone(heads), spans, o.story(heads)}
		if o.m.kind == Product {
			x.p *= o.context(spans)
		}
		all = append(all, x)
	}
	fill(0)
	return all
}

// bracketingsOf lists the binary bracketings of the words i … j−1.
func bracketingsOf(i, j int) (all [][]treebank.Span) {
	if j-i == 1 {
		return [][]treebank.Span{nil}
	}
	for k := i + 1; k < j; k++ {
		for _, a := range bracketingsOf(i, k) {
			for _, b := range bracketingsOf(k, j) {
				all = append(all, slices.Concat([]treebank.Span{{I: i, J: j}}, a, b))
			}
		}
	}
	return all
}

var kinds = []Kind{DMV, CCM, Product}

// randomSentences returns sentences of few tags.
func randomSentences(r *rand.Rand, sentences, least, most int) [][]string {
	data := make([][]string, sentences)
	for i := range data {
		for range least + r.IntN(most-least+1) {
			data[i] = append(data[i], []string{"A", "B", "C"}[r.IntN(3)])
		}
	}
	return data
}

func newTestModel(t testing.TB, k Kind, data [][]string, o *Options) *Model {
	m, err := New(k, data, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestDecodings compares the best trees by every criterion with all trees, listed one by one.
// TestPromises has probabilities and counts.
func TestDecodings(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial(uint64(10))) {
		r := rand.New(rand.NewPCG(seed, 0))
		for _, k := range kinds {
			data := randomSentences(r, 3, 2, 5)
			m := newTestModel(t, k, data, nil)
			m.Theta = m.Params.Random(r)
			for _, sentence := range data {
				if len(sentence) < 5 {
					checkParses(t, m, sentence)
				}
			}
			if t.Failed() {
				t.Fatalf("seed %d: %v of %v", seed, k, data)
			}
		}
	}
}

// checkParses compares the best trees, by every criterion.
func checkParses(t *testing.T, m *Model, sentence []string) {
	t.Helper()
	tags, _ := m.tags.numbers(sentence)
	all := (&oracle{m, m.Theta, tags}).trees()
	total := 0.0
	for _, x := range all {
		total += x.p
	}
	// right returns the expected number of things of a kind in which x is right.
	right := func(x tree, d Decoding) (sum float64) {
		for _, y := range all {
			n := 0
			for a := range x.heads {
				if d == MostHeads && x.heads[a] == y.heads[a] {
					n++
				}
			}
			for _, s := range x.spans {
				if d == MostBrackets && slices.Contains(y.spans, s) {
					n++
				}
			}
			sum += y.p / total * float64(n)
		}
		return sum
	}
	for _, d := range []Decoding{MostProbable, MostBrackets, MostHeads} {
		p, err := m.Predictor(d)
		if err != nil {
			continue // TestMessages says when
		}
		logProb, err := p.LogProb(sentence)
		if err != nil || math.Abs(logProb-math.Log(total)) > 1e-11 {
			t.Errorf("sentence has %v, %v, want %v", logProb, err, math.Log(total))
		}
		got, err := p.Best(sentence)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(x tree) bool { return slices.Equal(x.heads, got.Heads) && slices.Equal(x.spans, got.Spans) })
		if i < 0 || math.Abs(got.LogProb-math.Log(all[i].p)) > 1e-9 {
			t.Fatalf("parse %+v, %+v is not a tree of that probability", got, all[max(i, 0)])
		}
		value := func(x tree) float64 {
			if d == MostProbable {
				return x.p / total
			}
			return right(x, d)
		}
		best := 0.0
		for _, x := range all {
			best = max(best, value(x))
		}
		if v := value(all[i]); math.Abs(v-best) > 1e-9*best {
			t.Errorf("decoding %d: %v, the best has %v", d, v, best)
		}
		for _, x := range all { // brackets do not say which heads
			if d != MostHeads && slices.Equal(x.spans, got.Spans) && x.p > all[i].p*(1+1e-9) {
				t.Errorf("decoding %d: heads %v with the probability %v, of %v it is %v", d, got.Heads, all[i].p, x.heads, x.p)
			}
		}
	}
}
