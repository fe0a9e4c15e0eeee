package beam

import (
	"encoding/binary"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// query is an em.Query in the form in which workers read it from a file.
type query struct {
	EStep       em.EStep
	Temperature float64
	Weight      float64
	Bounds      bool
	Without     []em.Skipped // with their indices in all data
	// Size is the length of the sums, cut into blocks of Block numbers. Based contains the
	// blocks whose initial values are not all 0; these have files.
	Size, Block int
	Based       []int
	// Second means that there is a tangent.
	Second bool

	theta, tangent []float64
}

// encode returns q in bytes: the length of its fields, the fields, and the vectors.
func (q *query) encode() ([]byte, error) {
	fields, err := toGob(q)
	if err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(fields)))
	b = append(b, fields...)
	return appendFloats(appendFloats(b, q.theta), q.tangent), nil
}

// decodeQuery returns the query in b.
func decodeQuery(b []byte) (*query, error) {
	bad := nested.Errorf("beam: damaged query")
	if len(b) < 8 {
		return nil, bad
	}
	n := binary.LittleEndian.Uint64(b)
	b = b[8:]
	if n > uint64(len(b)) {
		return nil, bad
	}
	q := new(query)
	if err := fromGob(b[:n], q); err != nil {
		return nil, fmt.Errorf("%w: %w", bad, err)
	}
	q.theta = floats(b[n:])
	if q.Second {
		half := len(q.theta) / 2
		q.theta, q.tangent = q.theta[:half:half], q.theta[half:]
	}
	if q.Block < 1 || q.Size < 0 {
		return nil, bad
	}
	return q, nil
}

// query returns q for the single shard of a worker.
func (q *query) query() em.Query {
	return em.Query{Theta: q.theta, EStep: q.EStep, Temperature: q.Temperature, Tangent: q.tangent, Bounds: q.Bounds, Workers: 1}
}

// without returns the examples to be left out of a shard, with their indices in the shard.
func (q *query) without(first, next int) []em.Skipped {
	var some []em.Skipped
	for _, x := range q.Without {
		if first <= x.Index && x.Index < next {
			x.Index -= first
			some = append(some, x)
		}
	}
	return some
}

// bounds returns the first index of a block and the first after it.
func (q *query) bounds(block int) (lo, hi int, err error) {
	lo = block * q.Block
	if block < 0 || lo >= q.Size {
		return 0, 0, nested.Errorf("beam: no block %d in sums of %d numbers", block, q.Size)
	}
	return lo, min(lo+q.Block, q.Size), nil
}
