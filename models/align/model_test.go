package align

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// distribution draws n probabilities that sum to 1, some of them 0.
func distribution(r *rand.Rand, n int) []float64 {
	p, sum := make([]float64, n), 0.0
	for i := range p {
		if r.IntN(8) > 0 || i == n-1 {
			p[i] = r.ExpFloat64()
		}
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func randomSentence(r *rand.Rand, longest int) Sentence {
	words := func() []string {
		s := make([]string, 1+r.IntN(longest))
		for i := range s {
			s[i] = string(rune('a' + r.IntN(5)))
		}
		return s
	}
	return Sentence{words(), words()}
}

// randomCorpus has sentences in which words of F mostly follow those of E.
func randomCorpus(r *rand.Rand, sentences, longest int) *Corpus {
	c := NewCorpus()
	for range sentences {
		s := randomSentence(r, longest)
		for i := range min(len(s.Source), len(s.Target)) {
			if r.IntN(3) > 0 {
				s.Target[i] = s.Source[i]
			}
		}
		if err := c.Add(s); err != nil {
			panic(err)
		}
	}
	return c
}

// randomModel has random parameters of any kind.
func randomModel(r *rand.Rand, kind Positions) *Model {
	return randomModelOf(r, kind, randomCorpus(r, 1+r.IntN(6), 4))
}

// randomModelOf is a randomModel of a corpus.
func randomModelOf(r *rand.Rand, kind Positions, c *Corpus) *Model {
	m, err := New(c, &Options{Floor: []float64{-1, 1e-3}[r.IntN(2)], Null: []float64{0, .2}[r.IntN(2)], Decode: []EStep{Own, Joint}[r.IntN(2)]})
	if err != nil {
		panic(err)
	}
	classes := [2]int{1 + r.IntN(3), 1 + r.IntN(3)}
	for d := range m.sides {
		m.sides[d].shapes = shapesOf(c, d)
		m.sides[d].jumps = jumps{reach: 1 + r.IntN(4), hidden: classes[d], seen: classes[1-d]}
		if classes[d] > 1 {
			for range m.sides[d].words.words {
				m.sides[d].classes = append(m.sides[d].classes, int32(r.IntN(classes[d])))
			}
			m.sides[d].rare = int32(r.IntN(classes[d]))
		}
	}
	m.table = m.newTable(m.laws(&prior{law: em.Multinomial{}}))
	m.kind, m.theta = kind, m.table.params.Start()
	for i := range m.table.translations.In(m.theta) {
		m.theta[i] = r.Float64()
	}
	for d := range m.sides {
		null := m.table.null[d].In(m.theta)
		copy(null, distribution(r, len(null)))
		law := &jumpLaw{jumps: m.sides[d].jumps}
		law.each(m.table.positions[d][HMM].In(m.theta), func(p []float64) { copy(p, distribution(r, len(p))) })
		free := m.table.positions[d][Model2].In(m.theta)
		freeLaw{m.sides[d].shapes}.each(func(lo, hi int) error { copy(free[lo:hi], distribution(r, hi-lo)); return nil })
		m.table.positions[d][Diagonal].In(m.theta)[0] = 5 * r.Float64()
	}
	return m
}

// enumerated is the sum over all alignments of a sentence in one direction, by the
// formulas of the models.
type enumerated struct {
	m            *Model
	d            int
	step         EStep
	hidden, seen []int32
	total        float64
	links        map[[2]int]float64 // hidden, seen
	null         []float64
	start, end   []float64
	inner        [][]float64
}

func (x *enumerated) probability(d int, hidden, seen int32) float64 {
	e, f := hidden, seen
	if x.d == fe {
		e, f = seen, hidden
	}
	if slot := x.m.lexicon.find(e, f); slot >= 0 {
		return x.m.theta[2*int(slot)+d]
	}
	return x.m.floor
}

func (x *enumerated) jumps() *jumps {
	return x.m.sides[x.d].jumps.at(x.m.table.positions[x.d][HMM].In(x.m.theta))
}

// emission returns the weight of seen word j from hidden word i, −1 for NULL.
func (x *enumerated) emission(i, j int) float64 {
	if i < 0 {
		if w := x.seen[j]; w >= 0 {
			return x.m.table.null[x.d].In(x.m.theta)[w]
		}
		return x.m.floor
	}
	p := x.probability(x.d, x.hidden[i], x.seen[j])
	if x.step == Joint {
		p *= x.probability(1-x.d, x.hidden[i], x.seen[j])
	}
	return p
}

// jump returns the probability of position to of seen word k after position from, −1 for none
// yet.
func (x *enumerated) jump(from, to, k int) float64 {
	j, n := x.jumps(), len(x.hidden)
	bucket := j.p[:j.buckets()]
	if from >= 0 {
		bucket = j.p[(2+x.pair(from, k))*j.buckets():][:j.buckets()]
	}
	weight := func(i int) float64 {
		b, sharing := j.bucket(i-from), 0
		for k := range n {
			if j.bucket(k-from) == b {
				sharing++
			}
		}
		return bucket[b] / float64(sharing)
	}
	sum := 0.0
	for i := range n {
		sum += weight(i)
	}
	if sum > 0 {
		return weight(to) / sum
	}
	return 1 / float64(n)
}

// class returns the class of a word of one side.
func (x *enumerated) class(side int, word int32) int {
	switch c := x.m.sides[side].classes; {
	case c == nil:
		return 0
	case word < 0:
		return int(x.m.sides[side].rare)
	default:
		return int(c[word])
	}
}

// pair returns the number of the pair of classes of the word at position i and of seen word k.
func (x *enumerated) pair(i, k int) int {
	return x.class(x.d, x.hidden[i])*x.m.sides[x.d].jumps.seen + x.class(1-x.d, x.seen[k])
}

// position returns the probability that seen word j comes from i, given where the last
// one came from.
func (x *enumerated) position(i, j, last int) float64 {
	n := len(x.hidden)
	null := float64(x.m.null)
	if null == 0 {
		null = 1 / float64(n+1)
	}
	if i < 0 {
		return null
	}
	switch x.m.kind {
	case Model1:
		return (1 - null) / float64(n)
	case HMM:
		return (1 - null) * x.jump(last, i, j)
	}
	shapes := x.m.sides[x.d].shapes
	if x.m.kind == Diagonal {
		tension := x.m.table.positions[x.d][Diagonal].In(x.m.theta)[0]
		sum, here := 0.0, 0.0
		for k := range n {
			q := math.Exp(-tension * math.Abs((float64(k)+.5)/float64(n)-(float64(j)+.5)/float64(len(x.seen))))
			if sum += q; k == i {
				here = q
			}
		}
		return (1 - null) * here / sum
	}
	if first, ok := shapes.cell[shape{n, len(x.seen)}]; ok {
		return (1 - null) * x.m.table.positions[x.d][Model2].In(x.m.theta)[first+j*n+i]
	}
	return (1 - null) / float64(n)
}

// sum visits all alignments.
func (x *enumerated) sum() {
	x.links, x.null = map[[2]int]float64{}, make([]float64, len(x.seen))
	j := x.jumps()
	x.start, x.end = make([]float64, j.buckets()), make([]float64, j.buckets())
	x.inner = make([][]float64, j.hidden*j.seen)
	for c := range x.inner {
		x.inner[c] = make([]float64, j.buckets())
	}
	a := make([]int, len(x.seen))
	var visit func(k, last int, p float64)
	visit = func(k, last int, p float64) {
		if k == len(a) {
			if x.m.kind == HMM {
				p *= j.end(j.p)[j.bucket(len(x.hidden)-last)]
			}
			x.total += p
			x.count(a, p)
			return
		}
		for i := -1; i < len(x.hidden); i++ {
			a[k] = i
			next := last
			if i >= 0 {
				next = i
			}
			visit(k+1, next, p*x.position(i, k, last)*x.emission(i, k))
		}
	}
	visit(0, -1, 1)
	if x.total == 0 {
		return
	}
	for l := range x.links {
		x.links[l] /= x.total
	}
	for _, v := range append([][]float64{x.null, x.start, x.end}, x.inner...) {
		for i := range v {
			v[i] /= x.total
		}
	}
}

// count adds the uses in an alignment of weight p.
func (x *enumerated) count(a []int, p float64) {
	j, last := x.jumps(), -1
	for k, i := range a {
		if i < 0 {
			x.null[k] += p
			continue
		}
		x.links[[2]int{i, k}] += p
		if last < 0 {
			x.start[j.bucket(i+1)] += p
		} else {
			x.inner[x.pair(last, k)][j.bucket(i-last)] += p
		}
		last = i
	}
	x.end[j.bucket(len(x.hidden)-last)] += p
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1e-3, math.Abs(b)) }

// What the models infer is what a sum over all alignments says.
func TestModelsByEnumeration(t *testing.T) {
	for _, kind := range []Positions{Model1, Model2, Diagonal, HMM} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			for seed := range trials.Seeds(300) {
				r := random(seed)
				checkByEnumeration(t, r, randomModel(r, kind), seed)
			}
		})
	}
}

func checkByEnumeration(t *testing.T, r *rand.Rand, m *Model, seed uint64) {
	t.Helper()
	s := randomSentence(r, 4)
	p, q, underivable := m.Posteriors(s)
	forward, backward, err := m.LogProb(s)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	var ids [2][]int32
	for side, words := range [2][]string{s.Source, s.Target} {
		for _, w := range words {
			ids[side] = append(ids[side], m.sides[side].words.find(w))
		}
	}
	var all [2]*enumerated
	for d := range all {
		all[d] = &enumerated{m: m, d: d, step: m.decode, hidden: ids[d], seen: ids[1-d]}
		all[d].sum()
	}
	possible := all[ef].total > 0 && all[fe].total > 0
	if possible != (underivable == nil) || !possible && !errors.Is(underivable, em.ErrUnderivable) {
		t.Fatalf("seed %d: totals %v and %v, error %v", seed, all[ef].total, all[fe].total, underivable)
	}
	for d, x := range all {
		got := []*Posterior{p, q}[d]
		for e := range s.Source {
			if !possible {
				break
			}
			for f := range s.Target {
				l := [2]int{e, f}
				if d == fe {
					l = [2]int{f, e}
				}
				if !near(got.At(e, f), x.links[l]) {
					t.Fatalf("seed %d: direction %d: link %d-%d has posterior %v, want %v", seed, d, e, f, got.At(e, f), x.links[l])
				}
			}
		}
		own := &enumerated{m: m, d: d, hidden: ids[d], seen: ids[1-d]}
		own.sum()
		if score := []float64{forward, backward}[d]; !near(score, math.Log(own.total)) && (own.total > 0 || !math.IsInf(score, -1)) {
			t.Fatalf("seed %d: direction %d: score %v, want %v", seed, d, score, math.Log(own.total))
		}
	}
}

// The expected uses of jumps are those of an enumeration.
func TestJumpCountsByEnumeration(t *testing.T) {
	for seed := range trials.Seeds(500) {
		r := random(seed)
		m := randomModel(r, HMM)
		s := randomSentence(r, 4)
		a := &alignerPair{model: m, machines: map[EStep]*machine{}, aligners: [2]*aligner{newAligner(ef, true), newAligner(fe, true)}}
		a.read(s)
		work := a.machine(m.decode)
		if _, err := a.infer(work, work); err != nil {
			t.Fatal(err)
		}
		weight := 1 + r.Float64()
		for d := range m.sides {
			counts := make([]float64, work.positions[d].size())
			work.positions[d].count(counts, &a.aligners[d].view, a.aligners[d].scratch, weight)
			x := &enumerated{m: m, d: d, step: m.decode, hidden: a.words[d], seen: a.words[1-d]}
			x.sum()
			want := append(append([]float64{}, x.start...), x.end...)
			for _, v := range x.inner {
				want = append(want, v...)
			}
			for i, w := range want {
				if got := counts[i]; !near(got, weight*w) {
					t.Fatalf("seed %d: direction %d: parameter %d is used %v times, want %v", seed, d, i, got, weight*w)
				}
			}
			for k, got := range a.aligners[d].fromNull {
				if !near(got, x.null[k]) {
					t.Fatalf("seed %d: direction %d: NULL has posterior %v, want %v", seed, d, got, x.null[k])
				}
			}
		}
	}
}
