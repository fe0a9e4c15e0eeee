package convex

import (
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// part is a set of hidden variables whose problems do not separate, with the terms in which they
// occur. Its relations are between merged rows, which may differ between parts.
type part struct {
	ridge     float64
	tol       float64   // tolerance of the minimization of terms; 0: limited by rounding
	families  []int     // variables that are hidden or have a hidden parent
	rows      [][]int   // per merged row, its rows of the data
	row       []int     // per row of the data, its merged row
	n         []float64 // weight of each merged row
	s         []float64 // its square root
	total     float64   // of the weights
	all       []int     // 0, 1, …, t−1
	relations []relation
	ands      []and
	terms     []*term
	choices   float64 // Σ ln of the number of values, over the hidden cells of the data
}

// relation is one matrix M to be found.
type relation struct {
	variable int     // index of the hidden variable, or none for a product
	states   int     // number of its values, or configurations of values; 0 for a link
	known    []int   // the value of each merged row or Hidden; nil: all are hidden
	slack    float64 // the maximum distance of entries of known pairs from 0 or 1
	centre   float64 // 1/v if M − 11ᵀ/v must be positive semidefinite, too; or 0

	middle []float64 // a relation inside the set; nil: centre off the diagonal
	inside float64   // least eigenvalue of middle − centre·11ᵀ
}

// evaluate minimizes over the parameters of the terms and returns bounds of their sum at
// relations whose factors are known.
func (p *part) evaluate(at []*point) (lower, upper float64) {
	for _, t := range p.terms {
		l, u := t.solve(p, at)
		lower += l
		upper += u
	}
	return lower, upper
}

// bound returns an upper bound of the sum of the terms at other relations, of which it uses only
// the matrices.
func (p *part) bound(at []*point) (upper float64) {
	for _, t := range p.terms {
		upper += t.upper(p, at)
	}
	return upper
}

// floor returns 0 if the value is ≥ 0 at all relations, otherwise −Inf. Losses of observed
// variables and links are ≥ 0, and so is the loss of a root: at Θᵢⱼ = nⱼ/n it is Σ nᵢ ln(n/(Mn)ᵢ) ≥
// 0. The loss of a hidden variable with observed parents may be negative, if a relation
// distinguishes more values than fit into the rows of a configuration.
func (p *part) floor() float64 {
	for _, t := range p.terms {
		if t.examples() != nil && t.rows > 1 {
			return math.Inf(-1)
		}
	}
	return 0
}

// slopes stores the derivatives by the relations at the latest evaluation in dst.
func (p *part) slopes(at []*point, dst [][]float64) {
	by := make([]gradient, len(p.relations))
	for r := range by {
		by[r].mass = make([]float64, len(p.n))
	}
	for _, t := range p.terms {
		t.differentiate(p, at, &by[t.long])
	}
	for r := range by {
		by[r].dense(p, dst[r])
	}
}

// weigh sets the weights of merged rows.
func (p *part) weigh(n []float64) {
	p.n = n
	p.s = make([]float64, len(n))
	p.all = numbers(len(n))
	for i, x := range n {
		p.s[i] = math.Sqrt(x)
	}
	p.total = floats.Sum(n)
}

// point returns the relation whose scaled matrix is m.
func (p *part) point(m []float64) *point {
	t := len(p.n)
	x := &point{m: m, mass: make([]float64, t)}
	for i, s := range p.s {
		x.mass[i] = floats.Dot(m[i*t:(i+1)*t], p.s) / s // Σⱼ m̂ᵢⱼ sⱼ/sᵢ = Σⱼ Mᵢⱼ nⱼ
	}
	return x
}

// newGraph returns the graph of n states with the given arcs. It panics if their number exceeds the
// range of int32.
func newGraph(n int, arcs [][2]int) *graph.Graph[bool] {
	from := make([][]graph.Arc[bool], n)
	for _, a := range arcs {
		from[a[0]] = append(from[a[0]], graph.Arc[bool]{Weight: true, To: int32(a[1])})
	}
	g, err := graph.FromArcs(semiring.Boolean{}, nil, from...)
	if err != nil {
		panic("convex: " + err.Error())
	}
	return g
}

// components returns the strongly connected component of each state.
func components(n int, arcs [][2]int) []int32 {
	c, _ := newGraph(n, arcs).Components()
	return c
}

// complete returns the arcs between all pairs of distinct items.
func complete(items []int) [][2]int {
	var arcs [][2]int
	for _, i := range items {
		for _, j := range items {
			if i != j {
				arcs = append(arcs, [2]int{i, j})
			}
		}
	}
	return arcs
}

// groupBy returns the items grouped by key, in the order of the first item of each group.
func groupBy[K comparable](items []int, key func(item int) K) [][]int {
	var groups [][]int
	place := make(map[K]int)
	for _, i := range items {
		k, ok := place[key(i)]
		if !ok {
			k = len(groups)
			place[key(i)] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	return groups
}

// numbers returns 0, 1, …, n−1.
func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// seen reports whether the hidden variable is partly observed.
func (p *Problem) seen(variable int) bool {
	return slices.ContainsFunc(p.variables[variable].Values, func(x int) bool { return x != Hidden })
}

// merge sets the merged rows of b: rows of the data that agree in all variables of the families,
// and rows with the same known value of the only hidden variable, which its relation puts into one
// class. Merging does not change the minimum. By symmetry and convexity some optimal M is constant
// on blocks of rows that agree. Raising its diagonal blocks to 1 keeps it in C and does not raise
// g, whose derivatives by the diagonal are not positive.
func (p *Problem) merge(b *part) {
	relevant := p.relevant(b)
	p.mergeInto(b, groupBy(numbers(len(p.weights)), func(row int) string {
		if h := b.relations[0].variable; len(b.relations) == 1 && p.variables[h].Values[row] != Hidden {
			return string(p.key([]byte{1}, []int{h}, row))
		}
		return string(p.key([]byte{0}, relevant, row))
	}))
	p.markKnown(b)
}

// knownSlack is the slack of known pairs if several variables are hidden. Then rows with the same
// known value are not merged, because they may differ in other hidden variables. Without slack all
// relations would be singular, but upper bounds require a regular one to mix with.
const knownSlack = .01

// markKnown sets the known values of merged rows.
func (p *Problem) markKnown(b *part) {
	for r := range b.relations {
		x := &b.relations[r]
		if x.known = nil; !p.seen(x.variable) {
			continue
		}
		for _, rows := range b.rows {
			x.known = append(x.known, p.variables[x.variable].Values[rows[0]])
		}
		if len(b.relations) > 1 {
			x.slack = knownSlack
		}
	}
}

// mergeInto sets the merged rows of b; rows contains the rows of the data of each.
func (p *Problem) mergeInto(b *part, rows [][]int) {
	b.rows, b.row = rows, make([]int, len(p.weights))
	for k, of := range rows {
		for _, row := range of {
			b.row[row] = k
		}
	}
	b.weigh(p.weigh(rows))
}

// relevant returns the variables of b's families.
func (p *Problem) relevant(b *part) []int {
	var all []int
	for _, i := range b.families {
		all = append(append(all, i), p.variables[i].Parents...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// key appends the observed values of the variables in a row.
func (p *Problem) key(dst []byte, variables []int, row int) []byte {
	for _, i := range variables {
		v := &p.variables[i]
		if v.Vectors == nil {
			dst = binary.AppendVarint(dst, int64(v.Values[row]))
			continue
		}
		numbers := v.Vectors[row]
		if v.Gram != nil {
			numbers = v.Gram[row]
		}
		for _, x := range numbers {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
		}
	}
	return dst
}
