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
	"example.org/pathsum/internal/likelihoodtest"
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
	Classes    int
	Deleted    float64
	Prior      Prior
	Workers    int
	Checkpoint string
	Observer   func(m *Model, p Progress)

	Start *Model // a copy of which is trained, with its own options
}

// recipe returns what Recipe does, without Deleted.
func recipe() *setup {
	o, f := Recipe(0)
	return &setup{Stages: f.Stages, Decode: o.Decode, Floor: o.Floor, Classes: o.Classes, Prior: f.Prior}
}

// train makes a model, or copies the start, and trains it.
func (o *setup) train(ctx context.Context, c *Corpus) (m *Model, r *em.Result, err error) {
	if o.Start != nil {
		var b bytes.Buffer
		if err = o.Start.Save(&b); err == nil {
			m, err = Load(&b)
		}
	} else {
		m, err = New(c, &Options{o.Decode, o.Floor, o.Null, o.Reach, o.Classes, o.Deleted})
	}
	if err != nil {
		return nil, nil, err
	}
	f := &FitOptions{Stages: o.Stages, Prior: o.Prior, Options: em.Options{Workers: o.Workers, Checkpoint: o.Checkpoint, Tolerance: -1}}
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
// itself, and for the mean of both under the joint potentials. em.Fit asserts it.
func TestObjectivesRise(t *testing.T) {
	for _, positions := range []Positions{Model1, Model2, Diagonal} {
		for _, agreement := range []bool{false, true} {
			t.Run(fmt.Sprint(positions, agreement), func(t *testing.T) {
				for seed := range trials.Seeds(20) {
					r := random(seed)
					c := randomCorpus(r, 30, 6)
					s := Stage{positions, 12, Own, Separate}
					if agreement {
						s.EStep, s.Counting = Joint, Averaged
					}
					o := &setup{Stages: []Stage{s}, Floor: -1}
					if r.IntN(2) == 0 {
						o.Prior.Pair = func(e, f string) float64 { return float64(len(e) * len(f) % 3) }
					}
					o.Prior.Law = []em.Law{em.Multinomial{}, em.Dirichlet{Alpha: 1.2}}[r.IntN(2)]
					last := math.Inf(-1)
					o.Observer = func(m *Model, p Progress) {
						if !m.climbs(s, &prior{law: o.Prior.Law}) {
							t.Fatal("a heuristic")
						}
						if p.Objective < last-1e-9*math.Abs(last) {
							t.Errorf("seed %d: iteration %d: fell from %v to %v", seed, p.Iteration, last, p.Objective)
						}
						last = p.Objective
					}
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
	for _, workers := range []int{1, 2, 7, 64} {
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
		cells := c.slots()
		var links [2][]float64
		for d := range links {
			x := &direction{number: d, model: m, cells: cells, step: m.decode}
			if err := x.Begin(em.Query{Theta: m.theta, Temperature: 1}); err != nil {
				t.Fatal(err)
			}
			inference := x.Infer()
			for n := range sentences {
				p, err := inference.Posterior(n)
				if err != nil {
					t.Fatal(err)
				}
				links[d] = append(links[d], p.Features...)
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

// The tension is at the maximum, too, given what is counted of links, and the score says so.
func TestTensionIsEstimatedAtTheMaximum(t *testing.T) {
	for seed := range trials.Seeds(20) {
		r := random(seed)
		law := tensionLaw{shapesOf(randomCorpus(r, 10, 6), ef)}
		theta, counts := make([]float64, 1+law.rows), make([]float64, 1+law.rows)
		law.Start(theta)
		now := &diagonal{law.shapes, theta[0]}
		var views []*view
		for _, x := range law.list {
			v := &view{hidden: x.hidden, seen: x.seen, layout: layout{stride: x.hidden}, node: make([]float64, x.hidden*x.seen)}
			for j := range x.seen {
				now.row(v.links(v.node, j), j, x.seen)
			}
			for i := range v.node {
				v.node[i] *= r.Float64()
			}
			now.count(counts, v, 1)
			views = append(views, v)
		}
		if err := law.Maximize(theta, counts); err != nil {
			t.Fatal(err)
		}
		if theta[0] < .1 || theta[0] > 50 {
			continue
		}
		objective := func(tension float64) (sum float64) {
			at := &diagonal{law.shapes, tension}
			for _, v := range views {
				row := make([]float64, v.hidden)
				for j := range v.seen {
					at.row(row, j, v.seen)
					for i, c := range v.links(v.node, j) {
						sum += c * math.Log(row[i])
					}
				}
			}
			return sum
		}
		best, score := objective(theta[0]), law.Score(theta, counts)
		for _, other := range []float64{theta[0] * .99, theta[0] * 1.01} {
			if objective(other) > best {
				t.Errorf("seed %d: tension %v is better than %v", seed, other, theta[0])
			}
			if got, want := law.Score([]float64{other}, counts)-score, objective(other)-best; math.Abs(got-want) > 1e-9 {
				t.Errorf("seed %d: the score rises by %v, want %v", seed, got, want)
			}
		}
	}
}

// TestTrainingCanceled: what was trained when a context ended is there.
func TestTrainingCanceled(t *testing.T) {
	c := NewCorpus()
	if err := c.Add(Sentence{[]string{"x"}, []string{"y"}}); err != nil || c.Len() != 1 {
		t.Fatalf("%d sentences, %v", c.Len(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := recipe()
	o.Observer = func(*Model, Progress) { cancel() }
	_, r, err := o.train(ctx, c)
	if !errors.Is(err, context.Canceled) || r == nil || r.Status != em.Canceled || len(r.Objective) != 1 {
		t.Fatalf("canceled: %+v, %v", r, err)
	}
}

// shardwise is a FitOptions.Distribute by which models that were saved and loaded make E steps of
// single shards.
func shardwise(t *testing.T, m func() *Model, c *Corpus) func(Stage, em.Divisible) (em.Likelihood, error) {
	return func(s Stage, head em.Divisible) (em.Likelihood, error) {
		var file bytes.Buffer
		if err := m().Save(&file); err != nil {
			return nil, err
		}
		loaded, err := Load(&file)
		if err != nil {
			return nil, err
		}
		cut := c.Cut()
		return likelihoodtest.Divided{Head: head, N: cut.Shards(), Shard: func(i int) (em.Divisible, error) {
			lo, hi := cut.Shard(i)
			var part []Sentence
			for n := lo; n < hi; n++ {
				part = append(part, c.Sentence(n))
			}
			l, err := loaded.Shard(part, s)
			if err == nil && l.Shards() != 1 {
				t.Errorf("%d shards, want 1", l.Shards())
			}
			return l, err
		}}, nil
	}
}

// TestShards: training by single shards, each made by a loaded model that has no other
// sentences, has the bits of training.
func TestShards(t *testing.T) {
	c := randomCorpus(random(7), 130, 6)
	if n := c.Cut().Shards(); n < 40 || n == c.Len() {
		t.Fatalf("%d shards of %d sentences", n, c.Len())
	}
	for _, how := range []Counting{Separate, Averaged, Multiplied} {
		for _, kind := range []Positions{Model2, Diagonal, HMM} {
			t.Run(fmt.Sprint(how, kind), func(t *testing.T) {
				c.Prune([]float64{0, .3}[kind%2])
				opts := &FitOptions{Stages: []Stage{{Model1, 2, Own, how}, {kind, 2, Joint, how}}}
				whole, err := New(c, nil)
				if err != nil {
					t.Fatal(err)
				}
				want, err := whole.Fit(t.Context(), c, opts)
				if err != nil {
					t.Fatal(err)
				}
				m, err := New(c, nil)
				if err != nil {
					t.Fatal(err)
				}
				opts.Distribute = shardwise(t, func() *Model { return m }, c)
				got, err := m.Fit(t.Context(), c, opts)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(m.theta, whole.theta) || !slices.Equal(got.Objective, want.Objective) {
					t.Errorf("other bits: objectives %v, want %v", got.Objective, want.Objective)
				}
			})
		}
	}
}
