package convex

import "slices"

// newPart returns the part of the given hidden variables: its merged rows, its relations
// and the terms of all variables whose family, the variable and its parents, has one of
// them.
func (p *Problem) newPart(hidden []int) (*part, error) {
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
	known, err := p.known(hidden)
	if err != nil {
		return nil, err
	}
	b.families = families
	p.merge(b, families, known)
	return b, p.complete(b)
}

// complete adds the terms of b's families, and its turns.
func (p *Problem) complete(b *part) error {
	for _, i := range b.families {
		p.addTerms(b, i)
	}
	return b.order(p)
}

// addTerms adds the terms of variable i given its parents: one for each configuration of
// observed parents that occurs, or, where no parent is hidden, one for all.
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
	configurations := p.configurations(observed)
	if len(hidden) == 0 {
		b.terms = append(b.terms, p.childTerm(b, i, configurations))
		return
	}
	parent := b.product(hidden)
	for _, rows := range configurations {
		switch {
		case v.hidden():
			b.terms = append(b.terms, p.linkTerm(b, b.of(i), parent, rows))
		case v.Vectors != nil:
			b.terms = append(b.terms, p.vectorTerm(b, i, parent, rows))
		default:
			b.terms = append(b.terms, p.parentTerm(b, i, parent, rows))
		}
	}
}

// configurations returns the rows of the data by the values of observed variables, in the
// order of their first rows.
func (p *Problem) configurations(observed []int) [][]int {
	var groups [][]int
	place := make(map[string]int)
	for row := range p.weights {
		key := string(p.key(nil, observed, row))
		k, ok := place[key]
		if !ok {
			k = len(groups)
			place[key] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], row)
	}
	return groups
}

// of returns the relation of the hidden variable.
func (b *part) of(variable int) int {
	return slices.IndexFunc(b.relations, func(r relation) bool { return r.variable == variable })
}

// product returns the relation of having the same values of all the hidden variables,
// which it makes of theirs one after the other where it does not exist.
func (b *part) product(hidden []int) int {
	hidden = slices.Sorted(slices.Values(hidden))
	r := b.of(hidden[0])
	for _, h := range hidden[1:] {
		r = b.and(r, b.of(h))
	}
	return r
}

func (b *part) and(x, y int) int {
	for _, a := range b.ands {
		if a.a == x && a.b == y {
			return a.m
		}
	}
	m := len(b.relations)
	b.relations = append(b.relations, relation{variable: none, states: b.relations[x].states * b.relations[y].states})
	b.ands = append(b.ands, and{x, y, m})
	return m
}

// childTerm is the term of a hidden variable with observed parents: a row per configuration.
func (p *Problem) childTerm(b *part, i int, configurations [][]int) *term {
	t := len(b.n)
	weight, count := make([]float64, len(configurations)), make([]float64, t*len(configurations))
	for k, rows := range configurations {
		for _, row := range rows {
			weight[k] += p.weights[row]
			count[k*t+b.row[row]] += p.weights[row]
		}
	}
	return &term{loss: newExamples(weight, count, t), long: b.of(i), short: none, rows: len(weight), scale: scale(weight)}
}

// linkTerm is the term of a hidden child of a hidden parent, for the rows of the data with one
// configuration of its observed parents: a row per merged row.
func (p *Problem) linkTerm(b *part, child, parent int, rows []int) *term {
	nodes, weight := p.nodes(b, rows)
	t := len(b.n)
	count := make([]float64, t*len(nodes))
	for i, n := range nodes {
		count[i*t+n] = weight[i]
	}
	return &term{loss: newExamples(weight, count, t), long: child, short: parent, shortNode: nodes, rows: len(nodes), scale: scale(weight)}
}

// parentTerm is the term of an observed child, a column per merged row.
func (p *Problem) parentTerm(b *part, i, parent int, rows []int) *term {
	nodes, weight := p.nodes(b, rows)
	place := positions(nodes)
	v := &p.variables[i]
	count := make([]float64, v.States*len(nodes))
	for _, row := range rows {
		count[v.Values[row]*len(nodes)+place[b.row[row]]] += p.weights[row]
	}
	return &term{loss: newChoices(weight, count), long: parent, node: nodes, short: none, rows: v.States, scale: scale(weight)}
}

// vectorTerm is the term of a vector-valued child, a column per row of the data.
func (p *Problem) vectorTerm(b *part, i, parent int, rows []int) *term {
	v := &p.variables[i]
	d := len(v.Vectors[0])
	nodes, weight := make([]int, len(rows)), make([]float64, len(rows))
	x := make([]float64, d*len(rows))
	for j, row := range rows {
		nodes[j], weight[j] = b.row[row], p.weights[row]
		for c, value := range v.Vectors[row] {
			x[c*len(rows)+j] = value
		}
	}
	return &term{loss: &squares{weight, x}, long: parent, node: nodes, short: none, rows: d, scale: scale(weight)}
}

// nodes returns the merged rows among the rows of the data, ascending, and their weights
// there.
func (p *Problem) nodes(b *part, rows []int) (nodes []int, weight []float64) {
	total := make(map[int]float64)
	for _, row := range rows {
		if _, ok := total[b.row[row]]; !ok {
			nodes = append(nodes, b.row[row])
		}
		total[b.row[row]] += p.weights[row]
	}
	slices.Sort(nodes)
	weight = make([]float64, len(nodes))
	for i, n := range nodes {
		weight[i] = total[n]
	}
	return nodes, weight
}

func positions(nodes []int) map[int]int {
	place := make(map[int]int, len(nodes))
	for i, n := range nodes {
		place[n] = i
	}
	return place
}

func scale(weight []float64) float64 { return 1 + slices.Max(weight) }

// order sets the turns: relations that products tie together are minimized over together,
// and others, which links alone connect, one after the other.
func (b *part) order(p *Problem) error {
	var arcs [][2]int
	for _, a := range b.ands {
		arcs = append(arcs, complete([]int{a.a, a.b, a.m})...)
	}
	all := make([]int, len(b.relations))
	for r := range all {
		all[r] = r
	}
	component := components(len(all), arcs)
	b.turns = grouped(all, component)
	for _, t := range b.terms {
		if t.short != none && component[t.short] == component[t.long] {
			return uncovered("%s has a hidden parent that is also its co-parent, and", p.name(b.relations[t.long].variable))
		}
	}
	return nil
}
