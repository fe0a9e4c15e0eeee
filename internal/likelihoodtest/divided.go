package likelihoodtest

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring/expr"
)

// Divided is a Likelihood whose E steps are made as if by several processes: Shard returns a
// likelihood of a single shard, and Head assembles the contributions.
type Divided struct {
	Head  em.Divisible
	N     int // shards
	Shard func(i int) (em.Divisible, error)
}

// Params returns the parameters of the head.
func (d Divided) Params() *em.Params { return d.Head.Params() }

// Shards returns N.
func (d Divided) Shards() int { return d.N }

// Heuristic reports whether the head is heuristic.
func (d Divided) Heuristic() bool {
	h, ok := d.Head.(em.Heuristic)
	return ok && h.Heuristic()
}

// Fingerprint writes the fingerprint of the head.
func (d Divided) Fingerprint(w io.Writer) { d.Head.Fingerprint(w) }

// Expect makes the E step of each shard separately, the last one first.
func (d Divided) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	q, err := q.Complete(d)
	if err != nil {
		return nil, err
	}
	layout := ""
	all := make([][]contribution, d.N)
	examples := 0
	for i := q.Hi - 1; i >= q.Lo; i-- {
		l, err := d.Shard(i)
		if err != nil {
			return nil, err
		}
		alone := q
		alone.Lo, alone.Hi = 0, 0
		err = l.Tallies(ctx, alone, nil, func(_ int, t *em.Tally) error {
			all[i] = append(all[i], contributionOf(t))
			if layout != "" && layout != l.Layout() {
				return fmt.Errorf("shard %d has the layout %q, another one %q", i, l.Layout(), layout)
			}
			layout = l.Layout()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return d.Head.Assemble(ctx, q, nil, func(sums expr.Dual, e *em.Expectations) error {
		if own := d.Head.Layout(); own != layout {
			return fmt.Errorf("the head has the layout %q, its shards %q", own, layout)
		}
		for i := q.Lo; i < q.Hi; i++ {
			for _, c := range all[i] {
				c.addTo(e, sums, q.Weight, examples)
			}
			examples = e.Examples
		}
		return nil
	})
}

// contribution is a copy of the contents of a Tally.
type contribution struct {
	totals        em.Tally
	number        []int32
	count, change []float64
}

func contributionOf(t *em.Tally) contribution {
	c := contribution{totals: t.Totals()}
	for first, d := range t.Entries() {
		for k, x := range d.Value {
			c.number, c.count = append(c.number, first+int32(k)), append(c.count, x)
			if len(d.Change) > 0 {
				c.change = append(c.change, d.Change[k])
			} else {
				c.change = append(c.change, 0)
			}
		}
	}
	return c
}

// addTo adds c to e. The first example of c has the index first among all examples.
func (c contribution) addTo(e *em.Expectations, sums expr.Dual, weight float64, first int) {
	for i, n := range c.number {
		sums.Value[n] += weight * c.count[i]
		if sums.Change != nil {
			sums.Change[n] += weight * c.change[i]
		}
	}
	c.totals.AddTotals(e, first)
}
