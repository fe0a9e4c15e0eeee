package cascade

import (
	"context"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Corpus is a set of examples that can be visited one by one, with the expected uses of each. It
// serves reports, and E steps with other counts, such as the E steps of package agree. It is also
// the Likelihood of all examples; do not use it as such during visits. It builds lattices for all
// examples.
type Corpus struct {
	em.Excluder
	visits visitable
}

// visitable is a Corpus, and visiting a Visitor. With these interfaces, packages that mention the
// types need not compile lattices.
type (
	visitable interface {
		Begin(q em.Query) error
		example(i int) em.Skipped
		examples() int
		values() []semiring.ScaledFloat
		visitor() visiting
	}
	visiting interface {
		visitTilted(i int, weights []expr.W, factors []float64) (Uses, error)
	}
)

// visits is the state of a Corpus.
type visits struct {
	em.Excluder
	of     *corpus
	name   func(i int) em.Skipped
	feed   *feeder
	making []sync.Mutex // per shard: held while the shard is made
	pass   pass
	begun  int // number of E steps
}

// Corpus returns the examples of data, to be visited one by one. Errors are as in Likelihood;
// data from a Stream are an error, too.
func (p Problem) Corpus(data Data) (*Corpus, error) {
	if data.Stream != nil {
		return nil, nested.Errorf("cascade: %w: examples of a Stream cannot be visited one by one", em.ErrInvalid)
	}
	if data.Pruning != nil {
		return nil, nested.Errorf("cascade: %w: examples with Pruning cannot be visited one by one", em.ErrInvalid)
	}
	data.Strategy = ByLattice
	c, err := newCascade(p, data)
	if err != nil {
		return nil, err
	}
	example := func(i int) em.Skipped {
		x := &c.data.Examples[i]
		return em.Skipped{Index: i, Name: x.Name, Weight: x.Weight.Float64()}
	}
	return newVisits(c.corpus, c.likelihood(), example, c.feeder(0)), nil
}

// Corpus returns the examples, to be visited one by one. Errors are as in Likelihood.
func (x Derivations) Corpus(p *em.Params) (*Corpus, error) {
	nonnil.Check("cascade: Derivations.Corpus", "parameters", p)
	g, err := newGiven(x, p)
	if err != nil {
		return nil, err
	}
	return newVisits(g.corpus, g.corpus.likelihood(nil), g.skipped, nil), nil
}

func newVisits(of *corpus, l em.Excluder, name func(i int) em.Skipped, feed *feeder) *Corpus {
	return &Corpus{l, &visits{Excluder: l, of: of, name: name, feed: feed, making: make([]sync.Mutex, of.cut.Shards())}}
}

// Examples returns the number of examples.
func (c *Corpus) Examples() int { return c.visits.examples() }

func (c *visits) examples() int { return c.of.examples }

// Example returns the index, name and weight of example i.
func (c *Corpus) Example(i int) em.Skipped { return c.visits.example(i) }

func (c *visits) example(i int) em.Skipped { return c.name(i) }

// Begin begins an E step: visitors use the θ, the temperature and the kind of q until the next
// call. No visitor may be active during the call. The error is the error of an E step for an
// invalid θ; for a Tangent it wraps semiring.ErrCapability.
func (c *Corpus) Begin(q em.Query) error { return c.visits.Begin(q) }

func (c *visits) Begin(q em.Query) error {
	q, err := q.Complete(c)
	if err != nil {
		return err
	}
	if q.Tangent != nil {
		return nested.Errorf("cascade: %w: second derivatives of single examples", semiring.ErrCapability)
	}
	c.pass, err = newPass(nil, c.of.params, c.of.used, q)
	c.begun++
	return err
}

// Values returns the values of the expressions of the Params' Space at the last Begin: NaN for an
// expression that the examples do not use. Do not modify them.
func (c *Corpus) Values() []semiring.ScaledFloat { return c.visits.values() }

func (c *visits) values() []semiring.ScaledFloat { return c.pass.values }

// Visitor visits the examples of a Corpus, for one goroutine. Visits in order of index are
// fastest.
type Visitor struct{ visiting visiting }

// visitor is the state of a Visitor.
type visitor struct {
	of     *visits
	worker *worker
	own    *expr.Space // the Params' Space, for this goroutine
	shard  *shard      // of the last example; nil before the first visit
	at     int         // index of shard
	begun  int         // number of the E step of pass
	pass   pass        // with the values of the shard's own expressions

	counts []float64 // by weight; zero between examples
	uses   Uses

	tilted []semiring.ScaledFloat // equal to the values of pass between examples, if copied
	copied bool
}

// Visitor returns a new visitor.
func (c *Corpus) Visitor() *Visitor { return &Visitor{c.visits.visitor()} }

func (c *visits) visitor() visiting {
	return &visitor{of: c, worker: c.of.hire()}
}

// Uses holds the expected uses of expressions in an example.
type Uses struct {
	// Total is the sum of all derivations, at the temperature of the E step. If it is zero, the
	// example has no derivation, and Weights is empty.
	Total semiring.ScaledFloat
	// Arcs is the number of arcs or edges visited.
	Arcs int64
	// Weights are the weights of arcs or edges, expressions of Space; for Derivations with
	// Arguments they are the arguments. Counts are their expected uses, negative if a template
	// divides by them. An expression may occur twice; One is left out.
	Weights []expr.W
	Counts  []float64
	// Space is the Space of the Params or a fork of it, which consecutive examples may share.
	// Values holds the values of its expressions.
	Space  *expr.Space
	Values []semiring.ScaledFloat
}

// Visit returns the expected uses in example i, which has a weight > 0. The result is valid until
// the next call; it must not be modified. Begin must have been called. The error is an error of
// an E step: a divergent sum, a lattice beyond the limit, an error of Derivations.
func (v *Visitor) Visit(i int) (Uses, error) { return v.VisitTilted(i, nil, nil) }

// VisitTilted returns the expected uses in example i if some of its weights are multiplied,
// weights[k] by exp(factors[k]). An earlier visit of the example must have returned these
// weights. Values are the values without the factors. Otherwise it is like Visit.
func (v *Visitor) VisitTilted(i int, weights []expr.W, factors []float64) (Uses, error) {
	return v.visiting.visitTilted(i, weights, factors)
}

func (v *visitor) visitTilted(i int, weights []expr.W, factors []float64) (Uses, error) {
	n, err := v.find(i)
	if err != nil {
		return Uses{}, err
	}
	p := v.pass
	if len(weights) > 0 {
		if !v.copied {
			v.tilted, v.copied = append(v.tilted[:0], p.values...), true
		}
		p.values = v.tilted
		for k, w := range weights {
			p.values[w] = v.pass.values[w].Mul(semiring.Scaled{}.FromLog(factors[k]))
		}
		defer func() {
			for _, w := range weights {
				v.tilted[w] = v.pass.values[w]
			}
		}()
	}
	v.uses.Total, v.uses.Arcs = semiring.ScaledFloat{}, 0
	v.uses.Weights, v.uses.Counts = v.uses.Weights[:0], v.uses.Counts[:0]
	x := &v.shard.items[n]
	if x.shape == nil {
		return v.uses, nil
	}
	if v.shard.space == nil {
		err = v.arguments(n, p)
	} else {
		err = v.weights(x, p)
	}
	if err != nil {
		return Uses{}, nested.Errorf("cascade: %v: %w", v.of.example(i), v.of.of.source.explain(i, err, v.pass))
	}
	v.uses.Arcs = int64(x.shape.batch.NumEdgesOf(x.shape.g))
	return v.uses, nil
}

// find loads the shard of example i and returns the index of its item.
func (v *visitor) find(i int) (int, error) {
	c := v.of
	at := i / c.of.size
	if v.shard == nil || v.at != at {
		v.shard = nil
		c.making[at].Lock()
		s, err := c.of.shard(context.Background(), at, v.worker.maker, &v.worker.portion, c.feed)
		c.making[at].Unlock()
		if err != nil {
			return 0, err
		}
		v.shard, v.at, v.begun = s, at, 0
	}
	s := v.shard
	n, ok := slices.BinarySearchFunc(s.items, i, func(x item, i int) int { return int(x.example) - i })
	if !ok {
		return 0, nested.Errorf("cascade: %w: %v is visited, whose weight is 0", em.ErrInvalid, c.example(i))
	}
	if v.begun == c.begun {
		return n, nil
	}
	v.begun, v.pass, v.copied = c.begun, c.pass, false
	if s.space != nil {
		var err error
		if v.pass, err = v.worker.lattices.extend(s, c.pass); err != nil {
			v.begun = 0
			return 0, err
		}
		v.uses.Space = s.space
	} else {
		if v.own == nil || v.own.Len() != len(c.pass.values) {
			v.own = c.of.params.Space().Fork()
		}
		v.uses.Space = v.own
	}
	v.uses.Values = v.pass.values
	if len(v.counts) < len(v.pass.values) {
		v.counts = make([]float64, len(v.pass.values))
	}
	return n, nil
}

// weights adds the weights of an item and their expected uses to the result.
func (v *visitor) weights(x *item, p pass) error {
	total, err := v.worker.lattices.count(x, p, 1, expr.Dual{Value: v.counts})
	v.uses.Total = total
	for _, k := range x.shape.batch.Weights(x.shape.g) {
		if x := v.counts[k]; x != 0 {
			v.counts[k] = 0
			v.use(expr.W(k), x)
		}
	}
	return err
}

// arguments adds the arguments of item n and their expected uses to the result.
func (v *visitor) arguments(n int, p pass) (err error) {
	args := v.shard.arguments(n)
	var uses expr.Dual
	v.uses.Total, uses, err = v.worker.templates.expected(&v.shard.items[n], args, p, 1)
	for k, x := range uses.Value {
		if x != 0 {
			v.use(args[k], x)
		}
	}
	return err
}

func (v *visitor) use(w expr.W, x float64) {
	if w != expr.One {
		v.uses.Weights, v.uses.Counts = append(v.uses.Weights, w), append(v.uses.Counts, x)
	}
}
