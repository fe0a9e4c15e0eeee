package forest

import (
	"io"
	"strconv"

	"example.org/pathsum/internal/dot"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// DOT holds options for drawing a forest or a tree; nil stands for the zero value.
type DOT struct {
	// Node returns the text of a node; if it is nil, the text is the node's number.
	Node func(node int32) string
	// Digits is the number of significant digits of weights; 0 means the ring's own format. It
	// does not apply to weights whose text is not a single number.
	Digits int
	// Posterior, if not nil, shades the edges: it has a number per edge, from 0 (light gray) to 1
	// (black and thick). WriteTreeDOT ignores it.
	Posterior []float64
}

// WriteDOT writes f, whose ring must be a semiring.Textual, as a graph in the language of
// Graphviz's dot. A node is a box, bold if it is a root; the weight of its root entry, if it is
// not One, precedes a slash. An edge is a point: a line with the weight, unless it is One, comes
// from its head, and arrows lead to its tails, from left to right. An edge of one tail is an
// arrow. Package svg, in a separate module, converts the graph to a picture.
//
// The error wraps semiring.ErrCapability if weights have no text, and semiring.ErrShape unless
// Posterior has one number from 0 to 1 per edge. Errors of w are returned.
func WriteDOT[W any](w io.Writer, f *Forest[W], o *DOT) error {
	if o == nil {
		o = new(DOT)
	}
	if n := len(o.Posterior); n > 0 && n != f.NumEdges() {
		return nested.Errorf("forest: %w: %d posteriors for %d edges", semiring.ErrShape, n, f.NumEdges())
	}
	d, err := newDrawing(w, f, o)
	if err != nil {
		return err
	}
	before := d.roots()
	for v := range int32(f.NumNodes()) {
		root, isRoot := before[v]
		d.node("n"+strconv.Itoa(int(v)), v, root, isRoot)
	}
	for v := range int32(f.NumNodes()) {
		for e := f.Edges()[v]; e < f.Edges()[v+1]; e++ {
			var shade []dot.Attribute
			if len(o.Posterior) > 0 {
				var ok bool
				if shade, ok = dot.Shade(o.Posterior[e]); !ok {
					return nested.Errorf("forest: %w: edge %d has the posterior %g", semiring.ErrShape, e, o.Posterior[e])
				}
			}
			var tails []string
			for _, u := range f.Tails(e) {
				tails = append(tails, "n"+strconv.Itoa(int(u)))
			}
			d.edge("n"+strconv.Itoa(int(v)), "e"+strconv.Itoa(int(e)), e, tails, shade)
		}
	}
	return d.close()
}

// WriteTreeDOT writes a tree of f, such as BestTree's: its edges in preorder. It is drawn like a
// forest by WriteDOT, except that a node is drawn once per use. WriteTreeDOT panics if the edges
// are not a tree of f.
func WriteTreeDOT[W any](w io.Writer, f *Forest[W], edges []int32, o *DOT) error {
	if o == nil {
		o = new(DOT)
	}
	d, err := newDrawing(w, f, o)
	if err != nil {
		return err
	}
	head := make([]int32, f.NumEdges())
	for v := range int32(f.NumNodes()) {
		for e := f.Edges()[v]; e < f.Edges()[v+1]; e++ {
			head[e] = v
		}
	}
	before := d.roots()
	at := len(edges) // Fold visits edges from the last to the first
	Fold(f, edges, func(e int32, below []string) string {
		at--
		name := strconv.Itoa(at)
		root := ""
		if at == 0 {
			root = before[head[e]]
		}
		d.node("n"+name, head[e], root, at == 0)
		d.edge("n"+name, "e"+name, e, below, nil)
		return "n" + name
	})
	return d.close()
}

// drawing is the state of writing one picture.
type drawing[W any] struct {
	*DOT
	f       *Forest[W]
	weights dot.Weights[W]
	to      *dot.Writer
}

func newDrawing[W any](w io.Writer, f *Forest[W], o *DOT) (*drawing[W], error) {
	weights, err := dot.NewWeights(f.ring, o.Digits)
	if err != nil {
		return nil, nested.Errorf("forest: %w", err)
	}
	// Tails stay in order; lines between levels are short.
	to := dot.NewWriter(w, dot.Attribute{Name: "ordering", Value: "out"}, dot.Attribute{Name: "ranksep", Value: "0.2"})
	return &drawing[W]{o, f, weights, to}, nil
}

// roots returns the weights of root entries by node; entries with the same node are summed.
func (d *drawing[W]) roots() map[int32]string {
	sum, text := map[int32]W{}, map[int32]string{}
	for _, r := range d.f.roots {
		if w, ok := sum[r.Node]; ok {
			r.Weight = d.f.ring.Plus(w, r.Weight)
		}
		sum[r.Node] = r.Weight
		text[r.Node] = d.weights.Text(r.Weight)
	}
	return text
}

func (d *drawing[W]) node(name string, v int32, root string, isRoot bool) {
	label := strconv.Itoa(int(v))
	if d.Node != nil {
		label = d.Node(v)
	}
	if root != "" {
		label = root + "/" + label
	}
	attributes := []dot.Attribute{dot.Label(label), {Name: "shape", Value: "box"}, {Name: "height", Value: "0.3"}}
	if isRoot {
		attributes = append(attributes, dot.Attribute{Name: "style", Value: "bold"})
	}
	d.to.Node(name, attributes...)
}

// edge writes an edge of a head, with a name for its point.
func (d *drawing[W]) edge(head, point string, e int32, tails []string, shade []dot.Attribute) {
	weight := d.weights.Text(d.f.weight[e])
	if weight != "" {
		weight = " " + weight // away from the line
	}
	top := append(shade[:len(shade):len(shade)], dot.Label(weight))
	if len(tails) == 1 {
		d.to.Edge(head, tails[0], top...)
		return
	}
	d.to.Node(point, dot.Label(""), dot.Attribute{Name: "shape", Value: "point"})
	d.to.Edge(head, point, append(top, dot.Attribute{Name: "dir", Value: "none"})...)
	for _, u := range tails {
		d.to.Edge(point, u, shade...)
	}
}

func (d *drawing[W]) close() error {
	if err := d.to.Close(); err != nil {
		return nested.Errorf("forest: %w", err)
	}
	return nil
}
