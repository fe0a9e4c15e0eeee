package grammar

import (
	"fmt"
	"sync"

	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// chart is the forest of all trees over n words. Its weights are expressions of a
// template whose parameters are the parts, so that it serves all sentences of that
// length.
type chart struct {
	n      int
	parts  []part
	space  *expr.Space
	forest *forest.Forest[expr.W]
	batch  batch.Batch
	// By handle of space: the part of the tree that the weight of a root, an attachment or a
	// constituent stands for.
	meaning []part
}

// charts caches the charts of one kind.
type charts struct {
	kind Kind
	mu   sync.Mutex
	of   map[int]*chart
}

// get returns the chart of n words.
func (c *charts) get(n int) (*chart, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x := c.of[n]; x != nil {
		return x, nil
	}
	x, err := newChart(c.kind, n)
	if err != nil {
		return nil, err
	}
	if c.of == nil {
		c.of = map[int]*chart{}
	}
	c.of[n] = x
	return x, nil
}

// item is a node of a chart: the words i … j−1, with a head or an argument h if the kind of item
// has one.
type item struct {
	kind    itemKind
	i, j, h int16
}

type itemKind uint8

const (
	top       itemKind = iota // a tree
	bracket                   // a constituent
	open                      // a head i and its arguments to the right; there may be more
	shut                      // a head h and its arguments; there may be more to the left
	whole                     // a head h and all its arguments
	openLeft                  // a head j−1 and its arguments to the left; there may be more
	left                      // a head j−1 and all its arguments to the left
	right                     // a head i and all its arguments to the right
	hookLeft                  // the next argument of the head h, to its left
	hookRight                 // the next argument, to its right
	spans                     // the weights of all spans apart from the tree
	span                      // the weight of one of them
)

// rules adds the rules of a kind of model for n words.
type rules struct {
	*chart
	*forest.Deduction[item, expr.W]
	weights map[part]expr.W
}

func newChart(k Kind, n int) (*chart, error) {
	if n < 1 || n > MaxWords {
		return nil, fmt.Errorf("%w: %d words, want 1 to %d", ErrInvalid, n, MaxWords)
	}
	c := &chart{n: n, parts: k.parts(n)}
	c.space = cascade.NewTemplate(len(c.parts))
	r := &rules{c, forest.NewDeduction[item](c.space), map[part]expr.W{}}
	r.weigh()
	switch k {
	case DMV:
		r.halves()
	case CCM:
		r.brackets()
	case Product:
		r.heads()
	}
	if k.hasContext() {
		r.base()
	}
	built, err := r.Run(item{kind: top})
	if err != nil {
		return nil, nested.Errorf("%d words: %w", n, err)
	}
	c.forest = built.Forest
	if _, err := batch.AppendForest(&c.batch, c.forest); err != nil {
		return nil, err
	}
	c.batch = *c.batch.Clone()
	return c, nil
}

// weigh creates the weights of all parts and records the parts that they stand for. The weight of
// the yield of a constituent is multiplied by the weight of its context.
func (r *rules) weigh() {
	for i, p := range r.parts {
		r.weights[p] = r.space.Param(int32(i))
	}
	for _, p := range r.parts {
		w := r.weights[p]
		switch p.what {
		case root, attach:
		case yieldRatio:
			w = r.space.Times(w, r.weights[part{what: contextRatio, x: p.x, y: p.y}])
			r.weights[p] = w
		default:
			continue
		}
		r.meaning = append(r.meaning, make([]part, max(0, int(w)+1-len(r.meaning)))...)
		r.meaning[w] = p
	}
}

// says returns the part of the tree that a weight stands for.
func (c *chart) says(w expr.W) part {
	if int(w) >= len(c.meaning) {
		return part{}
	}
	return c.meaning[w]
}

// attach returns the weight of taking one more argument.
func (r *rules) attach(h, a int16, adjacent bool) expr.W {
	return r.weights[part{attach, h, a, adjacent}]
}

// stop returns the weight of taking no further argument.
func (r *rules) stop(w what, h int16, adjacent bool) expr.W {
	return r.weights[part{w, h, 0, adjacent}]
}

// constituent returns the weight of the words i … j−1 as a constituent.
func (r *rules) constituent(i, j int16) expr.W {
	if !proper(i, j, r.n) {
		return expr.One
	}
	return r.weights[part{what: yieldRatio, x: i, y: j}]
}

// part is a possible part of a tree over n words for which the model has a weight. All sentences of
// n words have the same parts.
type part struct {
	what what
	x, y int16 // words, or the span of the words x … y−1
	// No argument so far on that side, for attach and stop.
	adjacent bool
}

type what uint8

const (
	nothing      what = iota
	root              // x is the root
	stopLeft          // x takes no more arguments
	stopRight         //
	attach            // x takes a further argument, y
	yieldRatio        // the yield of a constituent, relative to a distituent's
	contextRatio      // the same for its context
	yieldBase         // the yield of a span, as a constituent only if it always is one
	contextBase       // the same for its context
)

// ofHeads reports whether the part has a weight in the DMV, not the CCM.
func (w what) ofHeads() bool { return w <= attach }

// parts returns the parts of trees over n words.
func (k Kind) parts(n int) []part {
	var list []part
	for x := range int16(n) {
		if !k.hasHeads() {
			break
		}
		list = append(list, part{what: root, x: x})
		for _, adjacent := range []bool{true, false} {
			list = append(list, part{stopLeft, x, 0, adjacent}, part{stopRight, x, 0, adjacent})
			for y := range int16(n) {
				if y != x {
					list = append(list, part{attach, x, y, adjacent})
				}
			}
		}
	}
	for i := range int16(n + 1) {
		for j := i; k.hasContext() && j <= int16(n); j++ {
			list = append(list, part{what: yieldBase, x: i, y: j}, part{what: contextBase, x: i, y: j})
			if proper(i, j, n) {
				list = append(list, part{what: yieldRatio, x: i, y: j}, part{what: contextRatio, x: i, y: j})
			}
		}
	}
	return list
}

// proper reports whether the span of the words i … j−1 of n is a constituent of some trees only.
func proper(i, j int16, n int) bool { return j-i > 1 && int(j-i) < n }

// constituent reports whether a span that is not proper is a constituent.
func constituent(i, j int16) bool { return i < j }
