package hidden

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/figure"
)

// Draw draws the relation of a hidden variable between rows: on the left as relaxed, on the
// right rounded. Rows are sorted by their rounded labels.
func Draw(relaxed *convex.Relation, labels []int) *figure.Figure {
	p := plot.New()
	p.Title.Text = "Are two rows in the same class? relaxed (left), rounded (right)"
	p.HideAxes()
	order := make([]int, len(labels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(labels[i], labels[j]) })
	both := &pair{relaxed, labels, order}
	p.Add(figure.Heat(2*len(order)+margin, len(order), both.at))
	return &figure.Figure{Plot: p, Width: 21 * vg.Centimeter, Height: 11 * vg.Centimeter}
}

// pair is two square matrices side by side, for a heat map.
type pair struct {
	relaxed *convex.Relation
	labels  []int
	order   []int // of the rows
}

// margin is the number of columns between the two.
const margin = 4

// at returns an entry, from 0 to 1.
func (p *pair) at(c, r int) float64 {
	t := len(p.order)
	i := p.order[t-1-r]
	switch {
	case c < t:
		return min(1, max(0, p.relaxed.At(i, p.order[c])))
	case c < t+margin || p.labels[i] != p.labels[p.order[c-t-margin]]:
		return 0
	}
	return 1
}
