package em

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// fingerprint identifies what the run's result depends on, apart from the
// iteration limit and the tolerance, which a resumed run may change.
func (t *trainer) fingerprint() string {
	h := sha256.New()
	d := digest{h}
	o := t.opts
	d.ints(int(o.EStep), o.Restarts)
	d.floats(o.Temperature)
	d.floats(o.Start...)
	fmt.Fprintf(d, "%#v %+v\n", o.Method, o.Prune)
	for _, s := range t.seeds {
		binary.Write(d, binary.LittleEndian, s)
	}
	for _, g := range t.params.groups {
		fmt.Fprintf(d, "%q %d %T %+v\n", g.name, g.n, g.law, g.law)
	}
	t.likelihood.Fingerprint(h)
	return hex.EncodeToString(h.Sum(nil))
}

// digest writes the content of values.
type digest struct{ io.Writer }

// cascade writes the machines, the data and what to do with underivable examples.
func (d digest) cascade(c *cascade) {
	d.ints(int(c.data.Underivable), len(c.problem.Cascade), len(c.problem.Branches), c.examples)
	d.params(c.problem.Params)
	for _, ms := range append([][]*fst.FST[expr.W]{c.problem.Cascade}, c.problem.Branches...) {
		d.ints(len(ms))
		for _, m := range ms {
			d.machine(m)
		}
	}
	for x, err := range c.data.all() {
		if err != nil {
			return // the first E step will say so
		}
		d.floats(x.Weight.Float64())
		for _, s := range append([]Side{x.X, x.Y}, x.Branches...) {
			d.side(s)
		}
	}
}

// params writes the values of all handles: machines are told by their handles, and
// handles by their values.
func (d digest) params(p *Params) {
	if values, err := p.space.Evaluate(nil, p.Values(p.Start())); err == nil {
		d.slice(values, len(values))
	}
}

// derivations writes the graphs or forests, their weights, and what to do with
// underivable examples.
func (d digest) derivations(p *Params, x *Derivations) {
	d.ints(int(x.Underivable), x.Examples)
	d.params(p)
	known := map[*forest.Forest[expr.W]]int{} // templates
	for i := range x.Examples {
		d.floats(x.weight(i))
		if x.weight(i) == 0 {
			continue
		}
		var err error
		if x.Graph != nil {
			var g *graph.Graph[expr.W]
			if g, err = x.Graph(i); err == nil {
				d.graph(g)
			}
		} else {
			err = d.example(x, i, known)
		}
		if err != nil {
			return // it was made before, or the first E step will say so
		}
	}
}

// example writes example i, a forest.
func (d digest) example(x *Derivations, i int, known map[*forest.Forest[expr.W]]int) error {
	f, err := x.Forest(i)
	if err != nil {
		return err
	}
	if x.Arguments == nil {
		d.forest(f)
		return nil
	}
	if _, ok := known[f]; !ok {
		known[f] = len(known)
		d.forest(f)
		d.space(f.Ring().(*expr.Space))
	}
	args, err := x.Arguments(i, nil)
	if err != nil {
		return err
	}
	d.ints(known[f])
	d.slice(args, len(args))
	return nil
}

// space writes all expressions of s.
func (d digest) space(s *expr.Space) {
	all := make([]expr.W, s.Len())
	for h := range all {
		all[h] = expr.W(h)
	}
	rows, _ := s.FormatRows(all)
	for _, text := range rows {
		fmt.Fprintln(d, text)
	}
}

// forest writes the edges, weights and roots of f.
func (d digest) forest(f *forest.Forest[expr.W]) {
	d.slice(f.Edges(), len(f.Edges()))
	for e := range int32(f.NumEdges()) {
		d.slice(f.Tails(e), len(f.Tails(e)))
	}
	d.slice(f.Weights(), len(f.Weights()))
	for _, r := range f.Roots() {
		d.ints(int(r.Node), int(r.Weight))
	}
}

func (d digest) ints(v ...int) {
	for _, x := range v {
		binary.Write(d, binary.LittleEndian, int64(x))
	}
}

func (d digest) floats(v ...float64) {
	for _, x := range v {
		binary.Write(d, binary.LittleEndian, math.Float64bits(x))
	}
}

func (d digest) slice(v any, n int) {
	d.ints(n)
	binary.Write(d, binary.LittleEndian, v)
}

func (d digest) machine(f *fst.FST[expr.W]) {
	d.slice(f.In(), len(f.In()))
	d.slice(f.Out(), len(f.Out()))
	d.graph(f.Graph())
}

func (d digest) graph(g *graph.Graph[expr.W]) {
	d.slice(g.Row(), len(g.Row()))
	d.slice(g.To(), len(g.To()))
	d.slice(g.Weights(), len(g.Weights()))
	d.slice(g.Finals(), len(g.Finals()))
	for _, s := range g.Starts() {
		d.ints(int(s.State), int(s.Weight))
	}
}

func (d digest) side(s Side) {
	if s.set != nil {
		d.ints(-2)
		d.machine(s.set)
		return
	}
	if !s.string {
		d.ints(-1)
		return
	}
	d.slice(s.labels, len(s.labels))
}
