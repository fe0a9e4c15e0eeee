package convex

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Weights returns the tables of the relaxed model at relations, for instance a Result's, with Φ and
// Y computed from labels: W = Φᵀ(Y − Θ)/β, or W = Φᵀ(I − Λ)Y/β for a hidden variable (Guo and
// Schuurmans 2007, §4 and 5). Θ and Λ maximize the dual at the relations: they are the relaxed
// model's predictions of the rows. labels holds, per hidden variable in the order of Hidden, a
// value per row. Values that do not occur have strengths of 0. O(t³) time per relation.
//
// The tables are a start for EM (Polish.Run) and predict new rows (bayes.Network.WithTables). At
// the relations of labels they are the tables of Complete, except for the table of a hidden
// variable of more than two values with a hidden parent. A relaxed optimum distinguishes more rows
// than labels do, so weights there are longer and predictions more confident: 1.75 times as long on
// naive Bayes (TestWeightsStart).
//
// The error wraps ErrInvalid for arguments that are invalid for Value or Complete.
func (p *Problem) Weights(relations []*Relation, labels [][]int) ([]Table, error) {
	if err := p.checkLabels(labels); err != nil {
		return nil, err
	}
	soft := p.indicators(labels)
	tables := make([]Table, len(p.variables))
	for i := range p.variables {
		if len(p.concealed(i)) == 0 {
			tables[i], _ = p.table(i, nil)
			continue
		}
		columns := p.variables[i].States
		if p.variables[i].Vectors != nil {
			columns = len(p.variables[i].Vectors[0])
		}
		tables[i] = Table{Variable: i, W: mat.NewDense(p.configurations(i), columns, nil)}
	}
	for _, b := range p.parts {
		b := b.fresh()
		at, err := p.place(b, relations)
		if err != nil {
			return nil, err
		}
		b.evaluate(at)
		for _, t := range b.terms {
			t.recover(p, b, soft, tables[t.variable].W)
		}
	}
	for i := range tables {
		t, v := &tables[i], &p.variables[i]
		if v.Gram != nil && len(p.concealed(i)) > 0 {
			t.W = coefficients(t.W, v.Vectors)
		}
		if v.Vectors != nil || t.LogProb != nil {
			continue
		}
		t.LogProb = mat.DenseCopyOf(t.W)
		for k := range p.configurations(i) {
			logSoftmax(t.LogProb.RawRowView(k), t.W.RawRowView(k))
		}
	}
	return tables, nil
}

// recover adds the term's part of the weights of its variable at the latest solution.
func (t *term) recover(p *Problem, b *part, soft map[int]*mat.Dense, w *mat.Dense) {
	if t.examples() != nil {
		t.recoverChild(p, b, soft, w)
		return
	}
	cols := len(t.residual) / t.rows
	values := make([]float64, w.RawMatrix().Cols) // Y − Θ of a row
	for j, rows := range t.groups {
		for _, row := range rows {
			p.completed(t.variable, row, soft, func(k, value int, weight float64) {
				switch l := t.loss.(type) {
				case *choices:
					for a := range values {
						values[a] = -l.p[a*cols+j]
					}
					values[value]++
				case *mixtures:
					for a := range values {
						values[a] = -l.p[j] / l.others
					}
					values[value] = l.p[j]
				case *squares:
					for c := range values {
						values[c] = t.residual[c*cols+j] / l.weight[j]
					}
				}
				floats.AddScaled(w.RawRowView(k), weight/p.ridge, values)
			})
		}
	}
}

// recoverChild is like recover, for a hidden child of observed parents: the residual of a
// configuration at a merged row is added to the weight of the row's label.
func (t *term) recoverChild(p *Problem, b *part, soft map[int]*mat.Dense, w *mat.Dense) {
	cols := len(t.residual) / t.rows
	for a, rows := range t.groups {
		configuration := none
		p.completed(t.variable, rows[0], soft, func(k, _ int, _ float64) { configuration = k })
		for row, j := range b.row {
			share := t.residual[a*cols+j] / b.n[j] / p.ridge
			p.completed(t.variable, row, soft, func(_, value int, weight float64) {
				w.Set(configuration, value, w.At(configuration, value)+share*weight)
			})
		}
	}
}
