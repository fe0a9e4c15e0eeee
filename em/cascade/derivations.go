package cascade

import (
	"cmp"
	"context"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/digest"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// Derivations are examples for which a model supplies the derivations itself, without composing
// machines: as the paths of graphs, or as the trees of forests, such as parse forests of
// sentences. The sum of an example's derivations is its probability.
type Derivations struct {
	// Examples is the number of examples.
	Examples int
	// Graph returns the graph of all derivations of example i. The weights are expressions of the
	// Space of the Params that exist already. Several goroutines call it at once: in the first E
	// step and, for graphs that do not fit in CacheBytes, in every E step. The same holds for
	// Weight and Name. Graph must return an equal graph each time, and may reuse its storage when
	// the same goroutine calls again.
	Graph func(i int) (*graph.Graph[expr.W], error)
	// Forest, in place of Graph, returns the forest of all derivations of example i. The weights
	// are expressions of the Space of the Params, unless there are Arguments. Likelihood calls it
	// for one example after the other, and so does a fingerprint. Several goroutines call it at
	// once in each E step for forests that do not fit in CacheBytes. It must return an equal
	// forest each time.
	Forest func(i int) (*forest.Forest[expr.W], error)
	// Arguments, if not nil, lets examples share forests. The weights are expressions of a Space
	// of the forest's own, a template. Its parameter p stands for Arguments(i)[p], an expression
	// of the Space of the Params. Identical forest pointers are stored once, so that an example
	// takes 4 bytes per argument plus 16, for a forest of any size. See NewTemplate. Arguments
	// are appended to dst.
	Arguments func(i int, dst []expr.W) ([]expr.W, error)
	// Weight returns the number of times that example i was observed, a finite number ≥ 0 (nil:
	// once). The other functions are not called for an example of weight 0.
	Weight func(i int) float64
	// Name returns the name of example i for errors and reports (nil: its index).
	Name func(i int) string
	// Underivable is the policy for examples of probability 0 (default Fail).
	Underivable em.Policy
	// CacheBytes is the memory for graphs and forests kept from one iteration to the next
	// (default 1 GiB; negative: none). It does not change a bit of the result.
	CacheBytes int64
	// ShardSize is the number of examples of a shard, as in Data.
	ShardSize int
}

// NewTemplate returns a Space whose parameters 0 … n−1 are the arguments of shared forests, see
// Derivations.Arguments.
func NewTemplate(n int) *expr.Space {
	space := expr.New()
	for p := range n {
		space.Param(int32(p))
	}
	return space
}

// Likelihood returns the likelihood of the examples as a function of the parameters p: the sum of
// the ln of their sums over derivations. Graphs may have cycles. Likelihood does not call Graph;
// it calls Forest for one example after the other. The error wraps em.ErrInvalid for invalid
// Derivations, or comes from Forest or Arguments; it names the example.
//
// An E step takes time in proportion to the arcs and edges, plus the time to make those that are
// not kept. Its errors: an invalid θ or tangent; an example without a derivation under the policy
// Fail (em.ErrUnderivable); an example whose sum diverges or is not finite, or an argument
// without a value; an error of Graph; a ctx that is done.
func (x Derivations) Likelihood(p *em.Params) (em.Excluder, error) {
	nonnil.Check("cascade: Derivations.Likelihood", "parameters", p)
	g, err := newGiven(x, p)
	if err != nil {
		return nil, err
	}
	return g.corpus.likelihood(nil), nil
}

func newGiven(x Derivations, p *em.Params) (*given, error) {
	x.CacheBytes = cmp.Or(x.CacheBytes, defaultCache)
	if err := x.check(); err != nil {
		return nil, err
	}
	g := &given{Derivations: x}
	var used *expr.Subset
	if x.Forest != nil {
		used = p.Space().NewSubset()
	}
	g.corpus = newCorpus(p, x.Examples, x.ShardSize, x.CacheBytes, used, g)
	if x.Forest != nil {
		if err := g.plant(); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// check returns an error if x is invalid.
func (x *Derivations) check() error {
	switch {
	case (x.Graph == nil) == (x.Forest == nil):
		return nested.Errorf("cascade: %w: no function that makes graphs or forests, or both", em.ErrInvalid)
	case x.Forest == nil && x.Arguments != nil:
		return nested.Errorf("cascade: %w: graphs have no arguments", em.ErrInvalid)
	case x.Underivable != em.Fail && x.Underivable != em.Skip:
		return nested.Errorf("cascade: %w: unknown policy %d", em.ErrInvalid, x.Underivable)
	case x.ShardSize < 0:
		return nested.Errorf("cascade: %w: shards of %d examples", em.ErrInvalid, x.ShardSize)
	}
	return em.CheckWeights(x.Examples, x.skipped)
}

func (x *Derivations) weight(i int) float64 {
	if x.Weight == nil {
		return 1
	}
	return x.Weight(i)
}

// skipped returns the report entry of example i if it is skipped.
func (x *Derivations) skipped(i int) em.Skipped {
	s := em.Skipped{Index: i, Weight: x.weight(i)}
	if x.Name != nil {
		s.Name = x.Name(i)
	}
	return s
}

// given is the source of Derivations.
type given struct {
	Derivations
	corpus *corpus
	// shapes holds the shapes of forests of kept shards; other examples may share them. A forest
	// without a tree has nil.
	shapes map[*forest.Forest[expr.W]]*shape
}

func (g *given) policy() em.Policy { return g.Underivable }

// write writes the graphs or forests, their weights, and the policy for underivable examples.
func (g *given) write(d digest.To) {
	d.Ints(int(g.Underivable), g.Examples)
	n := new(handleNumbers)
	known := map[*forest.Forest[expr.W]]int{} // templates
	for i := range g.Examples {
		d.Floats(g.weight(i))
		if g.weight(i) == 0 {
			continue
		}
		var err error
		if g.Graph != nil {
			var of *graph.Graph[expr.W]
			if of, err = g.Graph(i); err == nil {
				writeGraph(d, n, of)
			}
		} else {
			err = g.writeForest(d, n, i, known)
		}
		if err != nil {
			return // it was made before, or the first E step returns err
		}
	}
	n.finish(d, g.corpus.params.Space())
}

// writeForest writes the forest of example i, with its template if it is not yet in known.
func (g *given) writeForest(d digest.To, n *handleNumbers, i int, known map[*forest.Forest[expr.W]]int) error {
	f, err := g.Forest(i)
	if err != nil {
		return err
	}
	if g.Arguments == nil {
		writeForest(d, n, f)
		return nil
	}
	if _, ok := known[f]; !ok {
		known[f] = len(known)
		writeForest(d, nil, f)
		writeSpace(d, f.Ring().(*expr.Space))
	}
	args, err := g.Arguments(i, nil)
	if err != nil {
		return err
	}
	d.Ints(known[f])
	n.write(d, args)
	return nil
}

func (g *given) explain(_ int, err error, _ pass) error { return err }

func (g *given) reason(*Example, bool) string { return "" }

func (g *given) remarks() []string { return nil }

func (g *given) maker() maker { return &planter{of: g} }

// plant makes all shards in turn, and keeps them while there is room.
func (g *given) plant() error {
	g.shapes = map[*forest.Forest[expr.W]]*shape{}
	p := &planter{of: g}
	for i := range g.corpus.kept {
		s := new(shard)
		if err := p.make(context.Background(), s, i, nil, nil); err != nil {
			return err
		}
		g.corpus.used.Add(s.args...)
		if g.corpus.keep(s, i) {
			for f, shape := range p.fresh {
				g.shapes[f] = shape
			}
		}
	}
	return nil
}

// planter makes shards of given graphs and forests.
type planter struct {
	of    *given
	batch batch.Batch
	// fresh holds the shapes of forests with arguments that are new in the shard.
	fresh map[*forest.Forest[expr.W]]*shape
	slot  []expr.W // of a forest without a template: per handle, the handle of its argument
}

func (p *planter) make(_ context.Context, s *shard, i int, _ []Example, _ *feeder) error {
	p.batch.Reset()
	clear(p.fresh)
	s.batch, s.given = &p.batch, &p.of.Derivations
	if p.of.Graph != nil {
		s.space = p.of.corpus.params.Space().Fork()
	}
	lo, hi := p.of.corpus.cut.Shard(i)
	for i := lo; i < hi; i++ {
		if p.of.weight(i) == 0 {
			continue
		}
		var err error
		if p.of.Graph != nil {
			err = p.graph(s, i)
		} else {
			err = p.forest(s, i)
		}
		if err != nil {
			return nested.Errorf("cascade: %v: %w", p.of.skipped(i), err)
		}
	}
	return nil
}

// graph adds example i, a graph.
func (p *planter) graph(s *shard, i int) error {
	space := p.of.corpus.params.Space()
	known := space.Len()
	g, err := p.of.Graph(i)
	switch {
	case err != nil:
		return err
	case g == nil || g.Ring() != semiring.Semiring[expr.W](space):
		return fmt.Errorf("%w: the graph is nil, or its weights do not belong to the Params' Space", em.ErrInvalid)
	case space.Len() != known:
		return fmt.Errorf("%w: Graph made %d new expressions during an E step, which has values of older expressions only", em.ErrInvalid, space.Len()-known)
	}
	ok, err := batch.AppendGraph(s.batch, g)
	if err == nil {
		s.addLast(i, ok)
	}
	return err
}

// forest adds example i, a forest. A forest that another example shares is checked only once.
func (p *planter) forest(s *shard, i int) error {
	f, err := p.of.Forest(i)
	switch {
	case err != nil:
		return err
	case f == nil:
		return fmt.Errorf("%w: it has no forest", em.ErrInvalid)
	}
	space, _ := f.Ring().(*expr.Space)
	if p.of.Arguments == nil {
		if space != p.of.corpus.params.Space() {
			return fmt.Errorf("%w: the weights are not of the Params' Space", em.ErrInvalid)
		}
		n := len(s.args)
		f = p.abstract(s, f)
		return p.append(s, i, f, &shape{arguments: len(s.args) - n})
	}
	n := len(s.args)
	if s.args, err = p.of.Arguments(i, s.args); err != nil {
		return err
	}
	args := s.args[n:]
	for k, w := range args {
		if w < 0 || int(w) >= p.of.corpus.params.Space().Len() {
			return fmt.Errorf("%w: argument %d is not an expression of the Params' Space", em.ErrInvalid, k)
		}
	}
	of, known := p.of.shapes[f]
	if !known {
		of, known = p.fresh[f]
	}
	if known {
		if of != nil && of.arguments != len(args) {
			return fmt.Errorf("%w: %d arguments, another example with the same forest has %d", em.ErrInvalid, len(args), of.arguments)
		}
		s.add(i, of)
		return nil
	}
	of = &shape{arguments: len(args)}
	if err := p.template(of, space); err != nil {
		return err
	}
	if err := p.append(s, i, f, of); err != nil {
		return err
	}
	if p.fresh == nil {
		p.fresh = map[*forest.Forest[expr.W]]*shape{}
	}
	p.fresh[f] = s.items[len(s.items)-1].shape
	return nil
}

// append adds example i with forest f. It completes the given shape with its position in the
// batch.
func (p *planter) append(s *shard, i int, f *forest.Forest[expr.W], of *shape) error {
	trees, err := batch.AppendForest(s.batch, f)
	switch {
	case err != nil:
		return err
	case !trees:
		s.add(i, nil)
		return nil
	}
	of.batch, of.g = s.batch, s.batch.Len()-1
	s.add(i, of)
	return nil
}

// template makes space, which contains the weights of a forest, the template of its shape.
func (p *planter) template(of *shape, space *expr.Space) error {
	if space == nil || space == p.of.corpus.params.Space() || space.Inherited() > 0 {
		return fmt.Errorf("%w: there are arguments, but the weights are not expressions of a template", em.ErrInvalid)
	}
	for k := range of.arguments {
		if space.Param(int32(k)) != expr.W(2+k) {
			return fmt.Errorf("%w: %d arguments, but the template has fewer", em.ErrInvalid, of.arguments)
		}
	}
	if space.Len() > 2+of.arguments {
		of.template = space
	}
	return nil
}

// abstract returns f with its weights replaced by arguments. It appends the weights to the
// arguments of s.
func (p *planter) abstract(s *shard, f *forest.Forest[expr.W]) *forest.Forest[expr.W] {
	if n := p.of.corpus.params.Space().Len(); len(p.slot) < n {
		p.slot = append(p.slot, make([]expr.W, n-len(p.slot))...)
	}
	base := len(s.args)
	p.slot[expr.One] = expr.One
	abstract := forest.Map(f, f.Ring(), func(w expr.W) expr.W {
		if w != expr.Zero && p.slot[w] == 0 {
			p.slot[w] = expr.W(2 + len(s.args) - base)
			s.args = append(s.args, w)
		}
		return p.slot[w]
	})
	for _, w := range s.args[base:] {
		p.slot[w] = 0
	}
	return abstract
}
