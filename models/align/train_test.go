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

func train(t *testing.T, c *Corpus, o *setup) *Model {
	t.Helper()
	m, _, err := o.train(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// setup is the options of a model and of its training.
type setup struct {
	Stages     []Stage
	Decode     EStep
	Floor      float64
	Null       float64
	Reach      int
	Jumps      JumpStep
	Uniform    float64
	Classes    int
	Prior      Prior
	Workers    int
	Checkpoint string
	Observer   func(m *Model, p Progress)

	Start *Model // a copy of which is trained, with its own options
}

// recipe returns what Recipe does.
func recipe() *setup {
	o, f := Recipe()
	return &setup{Stages: f.Stages, Decode: o.Decode, Floor: o.Floor, Classes: o.Classes}
}

// train makes a model, or copies the start, and trains it.
func (o *setup) train(ctx context.Context, c *Corpus) (m *Model, r *em.Result, err error) {
	if o.Start != nil {
		var b bytes.Buffer
		if err = o.Start.Save(&b); err == nil {
			m, err = Load(&b)
		}
	} else {
		m, err = New(c, &Options{o.Decode, o.Floor, o.Null, o.Reach, o.Uniform, o.Classes})
	}
	if err != nil {
		return nil, nil, err
	}
	f := &FitOptions{o.Stages, o.Jumps, o.Prior, o.Workers, o.Checkpoint, nil}
	if o.Observer != nil {
		f.Observer = func(p Progress) { o.Observer(m, p) }
	}
	r, err = m.Fit(ctx, c, f)
	return m, r, err
}

func written(t *testing.T, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Training is exact coordinate ascent where theory says so: for each direction by
// itself, and for the mean of both under the joint potentials.
func TestObjectivesRise(t *testing.T) {
	for _, positions := range []Positions{Model1, Model2, Diagonal, HMM} {
		for _, agreement := range []bool{false, true} {
			t.Run(fmt.Sprint(positions, agreement), func(t *testing.T) {
				for seed := range trials.Seeds(20) {
					r := random(seed)
					c := randomCorpus(r, 30, 6)
					s := Stage{positions, 12, Own, Separately}
					if agreement {
						s.EStep, s.Counting = Joint, Averaged
					}
					var last [2]float64
					o := &setup{Stages: []Stage{s}, Reach: 1 + r.IntN(4), Jumps: Maximum, Classes: 1 + r.IntN(2), Uniform: []float64{0, .2}[r.IntN(2)], Floor: -1,
						Observer: func(_ *Model, p Progress) {
							now := p.Directions
							if agreement {
								now = [2]float64{now[ef] + now[fe]}
							}
							for d := range now {
								if p.Iteration > 0 && now[d] < last[d]-1e-9*math.Abs(last[d]) {
									t.Errorf("seed %d: iteration %d: fell from %v to %v", seed, p.Iteration, last[d], now[d])
								}
							}
							last = now
						}}
					train(t, c, o)
				}
			})
		}
	}
}

// The number of workers does not change a bit.
func TestWorkersAgree(t *testing.T) {
	c := randomCorpus(random(1), 300, 8)
	var want []byte
	for _, workers := range []int{1, 2, 5} {
		o := recipe()
		o.Workers, o.Classes = workers, 2
		o.Prior.Pair = func(e, f string) float64 { return float64(len(e) - len(f) + 1) }
		got := written(t, train(t, c, o))
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d workers find another model than 1", workers)
		}
	}
}

// A model says of the sentences of its corpus what a further E step of training would,
// to the last bit, and so does the same model read from a file.
func TestModelSaysWhatTrainingDoes(t *testing.T) {
	sentences := []Sentence{{[]string{"x", "y"}, []string{"y", "x", "x"}}}
	for seed := range uint64(40) {
		sentences = append(sentences, randomSentence(random(seed), 6))
	}
	c := NewCorpus()
	for _, s := range sentences {
		if err := c.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, positions := range []Positions{Model1, Model2, Diagonal, HMM} {
		o := &setup{Stages: []Stage{{positions, 3, Own, Multiplied}}, Decode: Joint, Floor: 1e-6, Classes: 2}
		m := train(t, c, o)
		text := written(t, m)
		read, err := Load(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written(t, read), text) {
			t.Errorf("%v: saved again, the model is another", positions)
		}
		_, slots := newLexicon(c)
		s := newShards(c, slots, 0)
		w := newCounter()
		work := m.machine(m.decode)
		for _, x := range sentences {
			if err := work.prepare(len(x.Source), len(x.Target)); err != nil {
				t.Fatal(err)
			}
		}
		var links [2][]float64
		for shard := range s.len() {
			var a tally
			if err := s.visit(w, work, Separately, shard, &a); err != nil {
				t.Fatal(err)
			}
			for _, p := range a.link {
				links[ef], links[fe] = append(links[ef], p[ef]), append(links[fe], p[fe])
			}
		}
		for n, x := range sentences {
			for name, m := range map[string]*Model{"model": m, "model read": read} {
				p, q, err := m.Posteriors(x)
				if err != nil {
					t.Fatal(err)
				}
				size := len(p.P)
				if !slices.Equal(p.P, links[ef][:size]) || !slices.Equal(q.P, links[fe][:size]) {
					t.Errorf("%v: the %s says something else of sentence %d", positions, name, n)
				}
			}
			links[ef], links[fe] = links[ef][len(x.Source)*len(x.Target):], links[fe][len(x.Source)*len(x.Target):]
		}
	}
}

// Jumps are estimated at the maximum: where the derivatives vanish.
func TestJumpsAreEstimatedAtTheMaximum(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := random(seed)
		j := newJumps(1+r.IntN(4), 2, 0)
		counts := make([]float64, j.size())
		for range 300 {
			n := 1 + r.IntN(7)
			from := r.IntN(n+1) - 1
			bucket, places := j.start(counts), counts[len(j.p):]
			if from >= 0 {
				class := r.IntN(2)
				bucket, places = j.inner(counts, class), places[(1+class)*j.sides():]
			}
			c := r.Float64()
			bucket[j.bucket(r.IntN(n)-from)] += c
			places[j.place(from, n)] += c
		}
		for range 200 {
			j.estimate(counts, Maximum)
		}
		objective := func(p []float64) float64 {
			sum := 0.0
			for i, x := range counts[:len(p)] {
				if x > 0 {
					sum += x * math.Log(p[i])
				}
			}
			for k, places := 0, counts[len(p):]; len(places) > 0; k, places = k+1, places[j.sides():] {
				bucket := j.start(p)
				if k > 0 {
					bucket = j.inner(p, k-1)
				}
				for place, c := range places[:j.sides()] {
					if c > 0 {
						lo, hi := j.choice(place, k == 0)
						z := 0.0
						for _, x := range bucket[lo:hi] {
							z += x
						}
						sum -= c * math.Log(z)
					}
				}
			}
			return sum
		}
		for i, x := range j.p[:len(j.p)] {
			if inEnd := i >= j.buckets() && i < 2*j.buckets(); inEnd || x == 0 {
				continue
			}
			p, q := slices.Clone(j.p), slices.Clone(j.p)
			p[i], q[i] = x*(1+1e-4), x*(1-1e-4)
			if d := (objective(p) - objective(q)) / 2e-4; math.Abs(d) > 1e-3 {
				t.Errorf("seed %d: derivative %v by parameter %d", seed, d, i)
			}
		}
	}
}

// The tension is at the maximum, too.
func TestTensionIsEstimatedAtTheMaximum(t *testing.T) {
	for seed := range trials.Seeds(20) {
		r := random(seed)
		w := newWhere(randomCorpus(r, 10, 6), ef, true)
		counts := make([]float64, len(w.p))
		for i, p := range w.p {
			counts[i] = p * r.Float64()
		}
		w.estimate(counts)
		if w.tension < .1 || w.tension > 50 {
			continue
		}
		objective := func(tension float64) (sum float64) {
			v := &where{first: w.first, p: slices.Clone(w.p), diagonal: true, tension: tension}
			v.fill()
			for i, c := range counts {
				sum += c * math.Log(v.p[i])
			}
			return sum
		}
		best := objective(w.tension)
		for _, other := range []float64{w.tension * .99, w.tension * 1.01} {
			if objective(other) > best {
				t.Errorf("seed %d: tension %v is better than %v", seed, other, w.tension)
			}
		}
	}
}

// The lexicon is estimated word by word by the law, from counts and what the prior adds.
func TestLexiconEstimate(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := random(seed)
		c := randomCorpus(r, 20, 5)
		l, _ := newLexicon(c)
		l = l.uniform()
		stem := func(w string) string { return string('a' + (w[0]-'a')/2) }
		pairs := func(e, f string) float64 { return float64((int(e[0])*7 + int(f[0])) % 3) }
		law := []em.Law{em.Multinomial{}, em.Dirichlet{Alpha: 1.5}, em.Variational{Alpha: .1}}[seed%3]
		strength := []float64{.5, 2}[seed%2]
		x := &counts{link: make([]pair, len(l.col))}
		for d := range x.null {
			x.null[d] = distribution(r, len(l.null[d]))
		}
		for slot := range x.link {
			x.link[slot] = pair{r.ExpFloat64(), r.ExpFloat64()}
		}
		links := slices.Clone(x.link)
		if err := l.estimate(x, newPrior(Prior{Law: law, Pair: pairs, Stem: stem, Strength: strength}, l, c), 0); err != nil {
			t.Fatal(err)
		}
		for d := range 2 {
			checkLexicon(t, l, c, links, d, stem, strength, pairs, law)
		}
	}
}

func checkLexicon(t *testing.T, l *lexicon, c *Corpus, links []pair, d int, stem func(string) string, strength float64, pairs func(e, f string) float64, law em.Law) {
	t.Helper()
	given, other := c.words[d].words, c.words[1-d].words
	tokens, classTokens := map[string]float64{}, map[string]float64{}
	for _, w := range c.text[1-d].words {
		tokens[other[w]]++
		classTokens[stem(other[w])]++
	}
	classes, total := map[[2]string]float64{}, map[string]float64{}
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
	each(func(g, o string, slot int32) {
		x := links[slot][d] + seen(g, o)
		classes[[2]string{stem(g), stem(o)}] += x
		total[stem(g)] += x
	})
	for _, g := range given {
		var want, theta []float64
		var slots []int32
		each(func(h, o string, slot int32) {
			if h != g {
				return
			}
			back := classes[[2]string{stem(h), stem(o)}] / total[stem(h)] * tokens[o] / classTokens[stem(o)]
			want, slots = append(want, links[slot][d]+seen(h, o)+strength*back), append(slots, slot)
		})
		theta = make([]float64, len(want))
		law.Start(theta)
		if err := law.Maximize(theta, want); err != nil {
			t.Fatal(err)
		}
		p := em.NewParams()
		p.Group("word", len(theta), law)
		for n, v := range p.Values(theta) {
			if got := l.t[slots[n]][d]; !near(got, v.Float64()) {
				t.Fatalf("%T: direction %d: word %s: translation %d has probability %v, want %v", law, d, g, n, got, v.Float64())
			}
		}
	}
}

func TestTrainFaults(t *testing.T) {
	c := NewCorpus()
	if _, err := New(c, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("no sentences: %v", err)
	}
	for _, s := range []Sentence{{nil, []string{"x"}}, {[]string{"x"}, nil}, {make([]string, MaxWords+1), []string{"x"}}} {
		if err := c.Add(s); !errors.Is(err, ErrInvalid) {
			t.Errorf("%d and %d words: %v", len(s.Source), len(s.Target), err)
		}
	}
	if err := c.Add(Sentence{[]string{"x"}, []string{"y"}}); err != nil || c.Len() != 1 {
		t.Fatalf("%d sentences, %v", c.Len(), err)
	}
	for _, o := range []setup{{Floor: 1}, {Floor: math.NaN()}, {Null: 1}, {Uniform: 2}, {Reach: -1}, {Classes: -1}, {Workers: -1},
		{Prior: Prior{Strength: math.Inf(1)}}, {Decode: EStep{Partner: -1}}, {Stages: []Stage{{Positions: 9}}},
		{Stages: []Stage{{Counting: -1}}}, {Stages: []Stage{{Iterations: -1}}}, {Stages: []Stage{{EStep: EStep{Power: math.NaN()}}}}} {
		if _, _, err := o.train(t.Context(), c); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, _, err := (&setup{Prior: Prior{Law: em.Dirichlet{Alpha: -1}}}).train(t.Context(), c); err == nil {
		t.Error("a law with a negative α")
	}
	if _, _, err := (&setup{Prior: Prior{Pair: func(_, _ string) float64 { return math.NaN() }}}).train(t.Context(), c); err == nil {
		t.Error("a prior that is not a number")
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := recipe()
	o.Observer = func(*Model, Progress) { cancel() }
	m, r, err := o.train(ctx, c)
	if !errors.Is(err, context.Canceled) || r == nil || r.Status != em.Canceled || len(r.Objective) != 1 {
		t.Fatalf("canceled: %+v, %v", r, err)
	}
	if _, _, err := m.Posteriors(Sentence{Source: []string{"x"}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("an empty side: %v", err)
	}
}
