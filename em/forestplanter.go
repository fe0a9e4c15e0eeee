package em

import (
	"fmt"
	"slices"

	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// shape is a forest of which the weights are expressions of a template; each example
// that has it brings the arguments.
type shape struct {
	batch *batch.Batch
	g     int
	// template is nil if it has nothing but arguments, under the handles 2, 3, ….
	template  *expr.Space
	arguments int
}

// planter makes shapes and arguments; it belongs to one goroutine and reuses its
// memory.
type planter struct {
	t     *Forests
	batch batch.Batch
	args  []expr.W
	slot  []expr.W // of a forest without a template: per handle that of its argument
}

// read returns the forest of example i, with weights of a template, and its shape but
// for the batch. The arguments are left in p.args. A forest that is known already, as
// that of another example, is not checked again.
func (p *planter) read(i int, known map[*forest.Forest[expr.W]]int32) (*forest.Forest[expr.W], shape, error) {
	f, err := p.t.trees.Forest(i)
	switch {
	case err != nil:
		return nil, shape{}, err
	case f == nil:
		return nil, shape{}, fmt.Errorf("%w: it has no forest", ErrInvalid)
	}
	space, ok := f.Ring().(*expr.Space)
	if p.t.trees.Arguments == nil {
		if space != p.t.params.space {
			return nil, shape{}, fmt.Errorf("%w: the weights are not of the Params' Space", ErrInvalid)
		}
		f = p.abstract(f)
		return f, shape{arguments: len(p.args)}, nil
	}
	if p.args, err = p.t.trees.Arguments(i, p.args[:0]); err != nil {
		return nil, shape{}, err
	}
	for k, w := range p.args {
		if w < 0 || int(w) >= p.t.params.space.Len() {
			return nil, shape{}, fmt.Errorf("%w: argument %d is no expression of the Params' Space", ErrInvalid, k)
		}
	}
	if number, ok := known[f]; ok {
		if number >= 0 && p.t.kept[number].arguments != len(p.args) {
			return nil, shape{}, fmt.Errorf("%w: %d arguments, another example with the same forest has %d", ErrInvalid, len(p.args), p.t.kept[number].arguments)
		}
		return f, shape{}, nil
	}
	if !ok || space == p.t.params.space || space.Inherited() > 0 {
		return nil, shape{}, fmt.Errorf("%w: there are arguments, and the weights are not of a template", ErrInvalid)
	}
	for k := range p.args {
		if space.Param(int32(k)) != expr.W(2+k) {
			return nil, shape{}, fmt.Errorf("%w: %d arguments, for a template that was not made for so many", ErrInvalid, len(p.args))
		}
	}
	s := shape{arguments: len(p.args)}
	if space.Len() > 2+len(p.args) {
		s.template = space
	}
	return f, s, nil
}

// abstract returns f with arguments in place of its weights.
func (p *planter) abstract(f *forest.Forest[expr.W]) *forest.Forest[expr.W] {
	p.args = p.args[:0]
	if n := p.t.params.space.Len(); len(p.slot) < n {
		p.slot = append(p.slot, make([]expr.W, n-len(p.slot))...)
	}
	p.slot[expr.One] = expr.One
	abstract := forest.Map(f, f.Ring(), func(w expr.W) expr.W {
		if w != expr.Zero && p.slot[w] == 0 {
			p.slot[w] = expr.W(2 + len(p.args))
			p.args = append(p.args, w)
		}
		return p.slot[w]
	})
	for _, w := range p.args {
		p.slot[w] = 0
	}
	return abstract
}

// build returns the shape of example i, made anew, valid until the next call; false if
// it has no tree.
func (p *planter) build(i int) (shape, bool, error) {
	f, s, err := p.read(i, nil)
	if err != nil {
		return s, false, err
	}
	p.batch.Reset()
	s.batch = &p.batch
	trees, err := batch.AppendForest(&p.batch, f)
	return s, trees, err
}

// plant makes the shapes and arguments of all examples, as far as the cache has room.
func (t *Forests) plant() error {
	p := &planter{t: t}
	known := map[*forest.Forest[expr.W]]int32{}
	room := t.trees.CacheBytes
	t.of, t.row = make([]int32, 0, t.trees.Examples), make([]int, 1, t.trees.Examples+1)
	for i := range t.trees.Examples {
		if t.trees.weight(i) == 0 {
			t.of, t.row = append(t.of, unseen), append(t.row, len(t.args))
			continue
		}
		f, s, err := p.read(i, known)
		if err != nil {
			return fmt.Errorf("em: %v: %w", t.trees.skipped(i), err)
		}
		number, ok := known[f]
		if !ok {
			if number, err = p.keep(f, s, &room); err != nil {
				return fmt.Errorf("em: %v: %w", t.trees.skipped(i), err)
			}
			if t.trees.Arguments != nil {
				known[f] = number
			}
		}
		if number >= 0 {
			room -= 4 * int64(len(p.args))
			t.args = append(t.args, p.args...)
		}
		t.of, t.row = append(t.of, number), append(t.row, len(t.args))
	}
	p.seal()
	t.args = slices.Clip(t.args)
	return nil
}

// keep adds a shape to those of t, if there is room for so many bytes more, and returns
// its number, or what stands for one.
func (p *planter) keep(f *forest.Forest[expr.W], s shape, room *int64) (int32, error) {
	size := bytesOf(f)
	if size > *room {
		return rebuilt, nil
	}
	s.g = p.batch.Len()
	trees, err := batch.AppendForest(&p.batch, f)
	if err != nil || !trees {
		return treeless, err
	}
	*room -= size
	p.t.kept = append(p.t.kept, s)
	const chunk = 1 << 20 // one batch for this many bytes
	if p.batch.Bytes() > chunk {
		p.seal()
	}
	return int32(len(p.t.kept) - 1), nil
}

// bytesOf returns at least what a batch takes for f.
func bytesOf(f *forest.Forest[expr.W]) int64 {
	edges, nodes := len(f.Roots()), f.NumNodes()+3
	for e := range int32(f.NumEdges()) {
		wide := max(0, len(f.Tails(e))-2)
		edges, nodes = edges+1+wide, nodes+wide
	}
	return 12*int64(edges) + 4*int64(nodes)
}

// seal gives the shapes made since the last time a batch of their own.
func (p *planter) seal() {
	b := p.batch.Clone()
	for i := len(p.t.kept) - b.Len(); i < len(p.t.kept); i++ {
		p.t.kept[i].batch = b
	}
	p.batch.Reset()
}
