package fst

import "example.org/pathsum/semiring"

// numbered is a ring of numbers that stand for the weights of another ring: the places of a
// table, which grows with every result. Whoever computes with numbers is compiled once for
// all rings, and a number costs no allocation. The table is for one operation in one
// goroutine: nothing leaves it before its end.
type numbered[W any] struct {
	ring    semiring.Semiring[W]
	weights []W // of which 0̄ and 1̄ are the first
}

// The numbers of 0̄ and 1̄.
const numberedZero, numberedOne = 0, 1

func numberedOf[W any](ring semiring.Semiring[W]) *numbered[W] {
	return &numbered[W]{ring, []W{ring.Zero(), ring.One()}}
}

// number returns one that stands for w.
func (r *numbered[W]) number(w W) int {
	r.weights = append(r.weights, w)
	return len(r.weights) - 1
}

func (r *numbered[W]) Zero() int          { return numberedZero }
func (r *numbered[W]) One() int           { return numberedOne }
func (r *numbered[W]) Plus(a, b int) int  { return r.number(r.ring.Plus(r.weights[a], r.weights[b])) }
func (r *numbered[W]) IsZero(a int) bool  { return r.ring.IsZero(r.weights[a]) }
func (r *numbered[W]) Times(a, b int) int { return r.number(r.ring.Times(r.weights[a], r.weights[b])) }

// numbers is a ring, and the arithmetic, of numbers that stand for weights.
type numbers interface {
	semiring.Semiring[int]
	arithmetic[int]
	inRange(x, a, b int) bool // x, a product or a quotient of a and b, or a sum if all are one
	compare(a, b int) int     // only if the ring is Ordered
}

// numberedWeights is a numbered ring whose weights are parts of residuals.
type numberedWeights[W any] struct {
	*numbered[W]
	of *ringResiduals[W]
}

func (n numberedWeights[W]) times(a, b int) (int, bool) {
	x, ok := n.of.times(n.weights[a], n.weights[b])
	return n.number(x), ok
}

func (n numberedWeights[W]) rest(divisor, a int) (int, error) {
	x, err := n.of.rest(n.weights[divisor], n.weights[a])
	return n.number(x), err
}

func (n numberedWeights[W]) inRange(x, a, b int) bool {
	return n.of.ranges.has(n.weights[x], n.weights[a], n.weights[b])
}

func (n numberedWeights[W]) AppendKey(dst []byte, a int, delta float64) []byte {
	return n.of.AppendKey(dst, n.weights[a], delta)
}

func (n numberedWeights[W]) apart(a, b int) bool { return n.of.apart(n.weights[a], n.weights[b]) }
func (n numberedWeights[W]) measured() bool      { return n.of.measured() }
func (n numberedWeights[W]) text(a int) string   { return n.of.text(n.weights[a]) }
func (n numberedWeights[W]) TypeName() string    { return n.of.TypeName() }
func (n numberedWeights[W]) compare(a, b int) int {
	return n.of.order.Compare(n.weights[a], n.weights[b])
}
