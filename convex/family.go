package convex

import (
	"math"
	"slices"
)

// newPart returns the part of the given hidden variables: its merged rows, its relations and the
// terms of all variables whose family, the variable and its parents, contains one of them.
func (p *Problem) newPart(hidden []int) *part {
	b := &part{ridge: p.ridge}
	for _, h := range hidden {
		b.relations = append(b.relations, relation{variable: h, states: p.variables[h].States})
	}
	var families []int
	for i := range p.variables {
		if h := p.concealed(i); len(h) > 0 && slices.Contains(hidden, h[0]) {
			families = append(families, i)
		}
	}
	b.families = families
	for _, h := range hidden {
		for row, x := range p.variables[h].Values {
			if x == Hidden {
				b.choices += p.weights[row] * math.Log(float64(p.variables[h].States))
			}
		}
	}
	p.merge(b)
	p.addAllTerms(b)
	return b
}

// addAllTerms adds the terms of b's families.
func (p *Problem) addAllTerms(b *part) {
	for _, i := range b.families {
		p.addTerms(b, i)
	}
}

// addTerms adds the terms of variable i given its parents: one for each configuration of observed
// parents that occurs in a row from which i is not absent. If no parent is hidden, one term covers
// all configurations.
func (p *Problem) addTerms(b *part, i int) {
	v := &p.variables[i]
	var hidden, observed []int
	for _, j := range v.Parents {
		if p.variables[j].hidden() {
			hidden = append(hidden, j)
		} else {
			observed = append(observed, j)
		}
	}
	configurations := groupBy(p.present(i), func(row int) string { return string(p.key(nil, observed, row)) })
	if len(hidden) == 0 {
		b.terms = append(b.terms, p.childTerm(b, i, configurations))
		return
	}
	parent := b.product(hidden)
	for _, rows := range configurations {
		merged := groupBy(rows, func(row int) int { return b.row[row] })
		nodes := make([]int, len(merged))
		for k, of := range merged {
			nodes[k] = b.row[of[0]]
		}
		var t *term
		switch {
		case v.hidden():
			t = p.linkTerm(i, merged)
			t.long, t.node = b.and(parent, b.of(i), 1/float64(v.States-1)), nodes
		case v.Vectors != nil:
			t = p.vectorTerm(b, i, rows)
			t.long = parent
		default:
			t = p.parentTerm(i, merged)
			t.long, t.node = parent, nodes
		}
		b.terms = append(b.terms, t)
	}
}

// of returns the relation of the hidden variable.
func (b *part) of(variable int) int {
	return slices.IndexFunc(b.relations, func(r relation) bool { return r.variable == variable })
}

// product returns the relation of equal values of all the hidden variables. If it does not exist,
// it is made from the variables' relations, one after the other.
func (b *part) product(hidden []int) int {
	hidden = slices.Sorted(slices.Values(hidden))
	r := b.of(hidden[0])
	for _, h := range hidden[1:] {
		r = b.and(r, b.of(h), 0)
	}
	return r
}

// and returns the relation that relaxes the function of x and y with the given skew.
func (b *part) and(x, y int, skew float64) int {
	for _, a := range b.ands {
		if a.a == x && a.b == y && a.skew == skew {
			return a.m
		}
	}
	m := len(b.relations)
	r := relation{variable: none, states: b.relations[x].states * b.relations[y].states}
	if skew > 0 {
		r.states = 0
	}
	b.relations = append(b.relations, r)
	b.ands = append(b.ands, newAnd(x, y, m, skew))
	return m
}

// childTerm returns the term of a hidden variable: a row per group of rows of the data in which its
// parents have the same values.
func (p *Problem) childTerm(b *part, i int, groups [][]int) *term {
	t := len(b.n)
	weight, count := p.weigh(groups), make([]float64, t*len(groups))
	for k, rows := range groups {
		for _, row := range rows {
			count[k*t+b.row[row]] += p.weights[row]
		}
	}
	return &term{loss: amongColumns(weight, count), long: b.of(i), rows: len(groups), scale: scale(weight), variable: i, groups: groups}
}

// parentTerm returns the term of an observed child: a column per group of rows of the data that are
// merged.
func (p *Problem) parentTerm(i int, groups [][]int) *term {
	v := &p.variables[i]
	weight, count := p.weigh(groups), make([]float64, v.States*len(groups))
	for k, rows := range groups {
		for _, row := range rows {
			count[v.Values[row]*len(groups)+k] += p.weights[row]
		}
	}
	return &term{loss: amongRows(weight, count), rows: v.States, scale: scale(weight), variable: i, groups: groups}
}

// vectorTerm returns the term of a vector-valued child: a column per row of the data.
func (p *Problem) vectorTerm(b *part, i int, rows []int) *term {
	v := &p.variables[i]
	d := len(v.Vectors[0])
	nodes, weight := make([]int, len(rows)), make([]float64, len(rows))
	groups, x := make([][]int, len(rows)), make([]float64, d*len(rows))
	for j, row := range rows {
		nodes[j], weight[j], groups[j] = b.row[row], p.weights[row], []int{row}
		for c, value := range v.Vectors[row] {
			x[c*len(rows)+j] = value
		}
	}
	return &term{loss: &squares{weight, x}, node: nodes, rows: d, scale: scale(weight), variable: i, groups: groups}
}

// weigh returns the weights of groups of rows of the data.
func (p *Problem) weigh(groups [][]int) []float64 {
	weight := make([]float64, len(groups))
	for k, rows := range groups {
		for _, row := range rows {
			weight[k] += p.weights[row]
		}
	}
	return weight
}

func scale(weight []float64) float64 { return 1 + slices.Max(weight) }
