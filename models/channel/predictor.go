package channel

import (
	"cmp"
	"context"
	"fmt"

	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// ErrInvalid is wrapped by errors about invalid options and queries.
var ErrInvalid = nested.ErrInvalid

// PredictorOptions are the choices in Model.Predictor. A nil *PredictorOptions and the zero
// value of each field mean the default.
type PredictorOptions struct {
	// Prune removes the arcs of the stages with a smaller weight from lattices, but not from
	// LogProb (default 0). Decoding is then faster and the probabilities of candidates are lower.
	Prune float64
	// Work bounds the search for candidates: see nbest.Best (default
	// 100,000).
	Work int
	// Limit bounds the states and arcs of a query's lattice (default 1<<24, some hundred
	// megabytes); the error wraps semiring.ErrLimit. The lattice of a pair grows with the
	// product of the lengths, the lattice of a source with its length.
	Limit int
}

// Predictor is a model frozen at the parameters that it had when the Predictor was made. It is safe
// for concurrent use.
type Predictor struct {
	opts           PredictorOptions
	stages, pruned network
	reads, writes  map[int32]bool // labels of the sources and targets of the cascade
}

// network is the stages of the cascade and of each branch.
type network struct {
	cascade  []*nbest.Lattice
	branches [][]*nbest.Lattice
}

// Predictor returns the model frozen as it is now. The error wraps ErrInvalid, or comes from a
// stage that could not be made or from cascade.Instantiate.
func (m *Model) Predictor(opts *PredictorOptions) (*Predictor, error) {
	p := &Predictor{reads: map[int32]bool{}, writes: map[int32]bool{}}
	if opts != nil {
		p.opts = *opts
	}
	p.opts.Limit = cmp.Or(p.opts.Limit, 1<<24)
	if p.opts.Limit < 0 || p.opts.Work < 0 || !(p.opts.Prune >= 0) {
		return nil, nested.Errorf("channel: %w: predictor options %+v", ErrInvalid, p.opts)
	}
	for i, stages := range append([][]cascade.Stage{m.Stages}, m.Branches...) {
		exact, pruned, err := p.instantiate(m, stages)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			p.stages.cascade, p.pruned.cascade = exact, pruned
		} else {
			p.stages.branches, p.pruned.branches = append(p.stages.branches, exact), append(p.pruned.branches, pruned)
		}
	}
	for _, l := range p.stages.cascade[0].In() {
		p.reads[l] = true
	}
	for _, l := range p.stages.cascade[len(m.Stages)-1].Out() {
		p.writes[l] = true
	}
	return p, nil
}

// instantiate returns the stages at the values of the parameters, exact and pruned.
func (p *Predictor) instantiate(m *Model, stages []cascade.Stage) (exact, pruned []*nbest.Lattice, err error) {
	if len(stages) == 0 {
		return nil, nil, nested.Errorf("channel: %w: a cascade of no stages", ErrInvalid)
	}
	least := semiring.NewScaled(p.opts.Prune)
	for i, s := range stages {
		f, err := cascade.Instantiate(m.Params, s, m.Theta, semiring.Scaled{})
		if err == nil {
			f, err = machines.Scaled.Connect(f, nil)
		}
		if err != nil {
			return nil, nil, nested.Errorf("channel: stage %d: %w", i, err)
		}
		likely, err := machines.Scaled.PruneArcs(f, func(w semiring.ScaledFloat) bool { return w.Cmp(least) >= 0 }, nil)
		if err != nil {
			return nil, nil, nested.Errorf("channel: stage %d: %w", i, err)
		}
		exact, pruned = append(exact, f), append(pruned, likely)
	}
	return exact, pruned, nil
}

// Query contains the observed strings. A nil string was not observed; an empty string was.
type Query struct {
	Source, Target []int32   // the input and output of the cascade
	Branches       [][]int32 // the output of each branch; nil: no branch observed
}

// symbols returns the number of symbols that have been observed.
func (q Query) symbols() int {
	n := len(q.Source) + len(q.Target)
	for _, s := range q.Branches {
		n += len(s)
	}
	return n
}

// Side selects a string: the input of the cascade, its output, or the string Between two of its
// stages. The target is hidden if only branches are observed.
type Side int

const (
	Source Side = iota // the input of the cascade
	Target             // the output of the cascade
)

// Between returns the side of the string that stage k writes and stage k+1 reads, where T₁ is the
// first stage. A cascade of n stages has n−1 such sides. Such a string is never observed.
func Between(k int) Side { return between + Side(max(k, 0)) }

// between is one less than the first side between stages. It has a number of its own, so that
// Target has its name.
const between = Target + 1

// String returns the name of the side.
func (s Side) String() string {
	switch {
	case s == between:
		return "Between(0)"
	case s > between:
		return fmt.Sprintf("string between stages %d and %d", s-between, s-between+1)
	}
	return named.One(s, "Side", "source", "target")
}

// Lattice returns an acceptor of the strings on a side, each with the probability of the string and
// the query together, without pruned arcs. Pass it to nbest.Best, nbest.Posteriors or another
// algorithm. It is trimmed, and has cycles if the model inserts. The error wraps nbest.ErrUnknown
// for a symbol of Source or Target that no arc of the model has, with its position, ErrInvalid, or
// semiring.ErrLimit.
func (p *Predictor) Lattice(q Query, side Side) (*nbest.Lattice, error) {
	if err := p.check(q); err != nil {
		return nil, err
	}
	if side < Source || side == between || side >= between+Side(len(p.pruned.cascade)) {
		return nil, nested.Errorf("channel: %w: the %v of a cascade of %d stages", ErrInvalid, side, len(p.pruned.cascade))
	}
	f, err := p.compose(&p.pruned, q, side)
	if err != nil {
		return nil, err
	}
	if side == Source {
		return machines.Scaled.Expand(machines.Scaled.ProjectIn(f), nil)
	}
	return machines.Scaled.Expand(machines.Scaled.ProjectOut(f), nil)
}

// Best returns up to n strings on a side that are most probable together with the query, the most
// probable first, each once and with the sum over its paths: nbest.Best of the Lattice. If the
// exact search exceeds Work, the list ends with the strings of the best paths.
//
// The probability of a candidate is the joint probability of the string and the query, without
// pruned arcs. If no stage assigns probabilities to sources, it is conditional on the source. If
// the model allows no string, Best returns an empty list and no error.
func (p *Predictor) Best(q Query, side Side, n int) ([]nbest.Candidate, error) {
	f, err := p.Lattice(q, side)
	if err != nil {
		return nil, err
	}
	list, _, err := nbest.Best(f.Graph(), f.In(), n, p.opts.Work)
	if err != nil {
		return nil, nested.Errorf("channel: %w", err)
	}
	return list, nil
}

// Posteriors returns the strings of Best with their probabilities given the query: the probability
// in Best divided by the probability of the query. They sum to at most 1, because strings that are
// not in the list and pruned arcs are missing. If the model allows no string, the list is empty.
// Errors are as for Best and LogProb.
func (p *Predictor) Posteriors(q Query, side Side, n int) ([]nbest.Candidate, error) {
	list, err := p.Best(q, side, n)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	total, err := p.LogProb(q)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].LogProb, err = clamp.LogQuotient(list[i].LogProb, total, q.symbols()+len(list[i].Labels)); err != nil {
			return nil, nested.Errorf("channel: %w", err)
		}
	}
	return list, nil
}

// LogProb returns ln of the probability of the query, summed over all unobserved strings, without
// pruning. It is −Inf if the probability is 0. The error wraps ErrInvalid or semiring.ErrLimit, or
// comes from graph.PathSum.
func (p *Predictor) LogProb(q Query) (float64, error) {
	f, err := p.compose(&p.stages, q, Source)
	if err != nil {
		return 0, err
	}
	sum, err := graphs.PathSum(f.Graph())
	if err != nil {
		return 0, nested.Errorf("channel: %w", err)
	}
	return clamp.LogProb(sum.Log(), q.symbols()), nil
}

// Forward returns the predictor as an nbest.Predictor of targets.
func (p *Predictor) Forward() nbest.Predictor { return direction{p, Target} }

// Backward returns the predictor as an nbest.Predictor of sources.
func (p *Predictor) Backward() nbest.Predictor { return direction{p, Source} }

// direction predicts the target from the source, or the source from the target.
type direction struct {
	p      *Predictor
	answer Side
}

func (m direction) query(given, answer []int32) Query {
	if m.answer == Target {
		return Query{Source: given, Target: answer}
	}
	return Query{Source: answer, Target: given}
}

func (m direction) Best(ctx context.Context, x []int32, n int) ([]nbest.Candidate, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return m.p.Best(m.query(observed(x), nil), m.answer, n)
}

func (m direction) LogProb(x, y []int32) (float64, error) {
	return m.p.LogProb(m.query(observed(x), observed(y)))
}

// observed returns s, or an empty string if s is nil.
func observed(s []int32) []int32 {
	if s == nil {
		return []int32{}
	}
	return s
}
