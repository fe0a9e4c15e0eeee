package em

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Divisible is a Likelihood whose E step several processes can make together: all that
// Sharded makes are. Workers visit shards (Tallies), someone adds up what they contribute,
// and one process does the rest (Assemble). Each has a Likelihood of its own, of the same
// model. That of a worker need not have any other shard than the one it visits, and that
// which assembles need not have any of the data that are added up.
//
// Where all tallies are added in the order of the shards, entry by entry and times the Weight
// of the query, the result has the bits of Expect. Package beam does so on a cluster.
type Divisible interface {
	Likelihood
	// Tallies makes an E step up to the sum over the shards. It calls visit with what each
	// shard that q asks for contributes, in their order, one call at a time. A tally is
	// valid until visit returns. Examples in without, in ascending order of Index, are left
	// out, which an Excluder can do. Vectors and Weight of q are of no account.
	Tallies(ctx context.Context, q Query, without []Skipped, visit func(shard int, t *Tally) error) error
	// Assemble makes an E step from that sum, which add makes. add adds to sums.Value, and
	// to sums.Change if q has a Tangent, all entries of the tallies times q.Weight. They
	// begin as they are to be added to. It adds to e what tallies have beside counts
	// (Tally.AddTotals). The shards that q asks for need not exist.
	Assemble(ctx context.Context, q Query, without []Skipped, add func(sums expr.Dual, e *Expectations) error) (*Expectations, error)
	// Layout says what the entries of tallies are counts of. It may be asked by visit and
	// by add; tallies can be assembled where it is the same.
	Layout() string
}

// errExclude is about a Likelihood that is no Excluder.
func errExclude(name string, x Skipped) error {
	return fmt.Errorf("%s: %w: %v, which cannot be left out", name, ErrUnderivable, x)
}

func (l *shardSum[Pass, Worker]) Tallies(ctx context.Context, q Query, without []Skipped, visit func(shard int, t *Tally) error) error {
	nonnil.Check("em: Tallies", "context", ctx, "visit", visit)
	q.Counts, q.Curvature, q.Weight = nil, nil, 0
	q, p, err := l.start(q, without)
	if err != nil {
		return err
	}
	defer l.end(p)
	var failed error
	err = l.reduce(ctx, q, p, func(shard int, t *Tally) {
		if failed == nil {
			failed = visit(shard, t)
		}
	})
	if err != nil {
		return err
	}
	return failed
}

func (l *shardSum[Pass, Worker]) Assemble(ctx context.Context, q Query, without []Skipped, add func(sums expr.Dual, e *Expectations) error) (*Expectations, error) {
	nonnil.Check("em: Assemble", "context", ctx, "add", add)
	return l.assemble(q, without, func(_ Query, _ Pass, sums expr.Dual, e *Expectations) error { return add(sums, e) })
}

func (l *shardSum[Pass, Worker]) Layout() string {
	if l.of.Layout != nil {
		return l.of.Layout()
	}
	return fmt.Sprintf("%d parameters", l.of.Params.Len())
}

// spaceDigest is a hash of the expressions of a Space, which only grows.
type spaceDigest struct {
	mutex sync.Mutex
	n     int // expressions
	text  string
}

// digest says which expressions the Space of p has.
func (p *Params) digest() string {
	d := &p.expressions
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if n := p.space.Len(); d.n != n {
		h := sha256.New()
		digest{h}.space(p.space)
		d.n, d.text = n, fmt.Sprintf("%d expressions %x", n, h.Sum(nil)[:8])
	}
	return d.text
}
