package convex

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// part is a set of hidden variables that do not separate, with the terms in which they
// occur. Its relations are those of merged rows, which may differ from part to part.
type part struct {
	ridge     float64
	row       []int     // per row of the data, its merged row
	n         []float64 // weight of each merged row
	s         []float64 // its square root
	total     float64   // of the weights
	all       []int     // 0, 1, …, t−1
	relations []relation
	ands      []and
	terms     []*term
	turns     [][]int // relations that are minimized over together
}

// relation is one matrix M to be found.
type relation struct {
	variable int      // index of the hidden variable; none for a product of relations
	states   int      // number of its values, or configurations of values
	differ   [][2]int // pairs of merged rows that are known to differ
}

// and says that relation m relaxes the entrywise product of relations a and b.
type and struct{ a, b, m int }

// evaluate minimizes over the parameters of the terms that contain a relation of the turn
// and returns bounds of their sum at relations whose factors are known.
func (p *part) evaluate(turn []int, at []*point) (lower, upper float64) {
	for _, t := range p.terms {
		if t.within(turn) {
			l, u := t.solve(p, at)
			lower += l
			upper += u
		}
	}
	return lower, upper
}

// bound returns an upper bound of the sum of the same terms at other relations, of which
// only the matrices need be known.
func (p *part) bound(turn []int, at []*point) (upper float64) {
	for _, t := range p.terms {
		if t.within(turn) {
			upper += t.upper(p, at)
		}
	}
	return upper
}

// gradient returns the derivatives by the relations of the turn at the latest evaluation,
// nil for others.
func (p *part) gradient(turn []int, at []*point) []*gradient {
	by := make([]*gradient, len(p.relations))
	for _, r := range turn {
		by[r] = &gradient{mass: make([]float64, len(p.n))}
	}
	for _, t := range p.terms {
		if t.within(turn) {
			t.differentiate(p, at, by)
		}
	}
	return by
}

// slopes stores the same as matrices.
func (p *part) slopes(turn []int, at []*point, dst [][]float64) {
	for r, g := range p.gradient(turn, at) {
		if g != nil {
			g.dense(p, dst[r])
		}
	}
}

func (t *term) within(turn []int) bool {
	for _, r := range turn {
		if r == t.long || r == t.short {
			return true
		}
	}
	return false
}

// weigh sets the weights of merged rows.
func (p *part) weigh(n []float64) {
	p.n = n
	p.s = make([]float64, len(n))
	p.all = make([]int, len(n))
	for i, x := range n {
		p.s[i] = math.Sqrt(x)
		p.all[i] = i
	}
	p.total = floats.Sum(n)
}

// observe sets the mass of x from its matrix.
func (p *part) observe(x *point) {
	t := len(p.n)
	x.mass = resized(x.mass, t)
	for i, s := range p.s {
		x.mass[i] = floats.Dot(x.m[i*t:(i+1)*t], p.s) / s // Σⱼ m̂ᵢⱼ sⱼ/sᵢ = Σⱼ Mᵢⱼ nⱼ
	}
}
