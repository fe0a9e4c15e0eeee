package edit

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// NewChunks returns an untrained joint model of pairs of strings that are rewritten in chunks of
// several symbols, for instance the chunks of a pairgram.Aligner. All chunks and the end of the
// strings share one distribution, estimated by law. Parameter i is the probability of chunk i; the
// end comes last.
//
// Without a prior, EM prefers few long chunks. A length prior λ > 0 multiplies the probability of
// each chunk of a:b symbols, wherever it is used, by exp(−λ(max(a,1)·max(b,1) − 1)). With λ = 0 the
// probabilities of all pairs sum to 1, otherwise to less.
//
// The machine has a final state at which chunks begin and end, and one state for each possible rest
// of a chunk that has begun: O(Σ max(a, b)) states and arcs. The first symbols of a chunk are read
// and written together, then the second ones, and so on: each way to split a pair into chunks is
// one path. It starts uniform unless law sets other values. The error wraps ErrInvalid for chunks
// that are empty, not distinct or contain labels that are not positive, and for an invalid prior.
func NewChunks(chunks []pairgram.Chunk, lengthPrior float64, law em.Law) (*Model, error) {
	nonnil.Check("edit: NewChunks", "law", law)
	if !(lengthPrior >= 0) || math.IsInf(lengthPrior, 1) {
		return nil, nested.Errorf("edit: %w: length prior %g, want a finite number ≥ 0", ErrInvalid, lengthPrior)
	}
	p := em.NewParams()
	space := p.Space()
	g := p.Distribution("chunk", len(chunks)+1, law)
	c := &chunkMachine{b: machines.Exprs.NewBuilder(space), rests: map[string]int32{}}
	c.b.AllowZero() // a prior may underflow
	c.b.AddStart(c.rest(pairgram.Chunk{}), expr.One)
	c.b.SetFinal(0, g.Weight(len(chunks)))
	seen := map[string]bool{}
	for i, chunk := range chunks {
		if err := check(chunk); err != nil {
			return nil, nested.Errorf("edit: %w: chunk %d: %w", ErrInvalid, i, err)
		}
		k := key(chunk)
		if seen[k] {
			return nil, nested.Errorf("edit: %w: chunk %d stands there twice", ErrInvalid, i)
		}
		seen[k] = true
		c.step(0, chunk, space.Times(g.Weight(i), space.Const(semiring.NewScaled(chunk.Prior(lengthPrior)))))
	}
	f, err := c.b.Freeze()
	if err != nil {
		return nil, err
	}
	return &Model{Model: cascade.NewModel(cascade.Problem{Params: p, Stages: []cascade.Stage{f}})}, nil
}

// check returns an error for an empty chunk or one with labels that are not positive.
func check(c pairgram.Chunk) error {
	if len(c.Source)+len(c.Target) == 0 {
		return errors.New("it is empty")
	}
	for _, side := range [][]int32{c.Source, c.Target} {
		for _, s := range side {
			if s <= fst.Epsilon {
				return fmt.Errorf("symbol %d, want symbols > 0", s)
			}
		}
	}
	return nil
}

// chunkMachine builds the machine of NewChunks.
type chunkMachine struct {
	b     machines.Builder[expr.W]
	rests map[string]int32 // states, by the rest that is still to be read and written
}

// key returns a text that identifies a chunk.
func key(c pairgram.Chunk) string {
	b := binary.AppendUvarint(nil, uint64(len(c.Source)))
	for _, side := range [][]int32{c.Source, c.Target} {
		for _, s := range side {
			b = binary.AppendUvarint(b, uint64(s))
		}
	}
	return string(b)
}

// rest returns the state from which the rest of a chunk is read and written: 0 if the rest is
// empty.
func (c *chunkMachine) rest(left pairgram.Chunk) int32 {
	k := key(left)
	s, ok := c.rests[k]
	if !ok {
		s = c.b.AddState()
		c.rests[k] = s
		if len(left.Source)+len(left.Target) > 0 {
			c.step(s, left, expr.One)
		}
	}
	return s
}

// step makes the arc that reads and writes the first symbols of a chunk.
func (c *chunkMachine) step(from int32, chunk pairgram.Chunk, weight expr.W) {
	a := fst.Arc[expr.W]{In: fst.Epsilon, Out: fst.Epsilon, Weight: weight}
	if len(chunk.Source) > 0 {
		a.In, chunk.Source = chunk.Source[0], chunk.Source[1:]
	}
	if len(chunk.Target) > 0 {
		a.Out, chunk.Target = chunk.Target[0], chunk.Target[1:]
	}
	a.To = c.rest(chunk)
	c.b.AddArc(from, a)
}

// side describes the source of a pair in labels of contexts: a string or, if set is not nil, a set
// of strings.
type side struct {
	labels []int32
	set    *machine
}

// sides returns the sources of data. Labels of strings are looked up; labels of sets are computed
// by composition with the reader, which would be slower for strings.
func (t *trainer) sides(data []Pair) ([]side, error) {
	out := make([]side, len(data))
	var read *machine
	known := map[*machine]*machine{} // labels by set
	for i, d := range data {
		switch {
		case d.Weight.Float64() == 0:
			continue // the others keep their numbers
		case d.Source != nil && d.Sources != nil || d.Target != nil && d.Targets != nil:
			return nil, nested.Errorf("edit: %w: pair %d has both a string and a set of strings", ErrInvalid, i)
		case d.Sources == nil:
			var ok bool
			if out[i].labels, ok = t.contexts.labels(d.Source); !ok {
				return nil, nested.Errorf("edit: %w: source %d has a symbol that is not in the alphabet", ErrInvalid, i)
			}
			continue
		}
		var err error
		if read == nil {
			if read, err = reader(t.contexts, scaled, machines.Scaled); err != nil {
				return nil, err
			}
		}
		if known[d.Sources] == nil {
			if known[d.Sources], err = labelsOf(d.Sources, read); err != nil {
				return nil, nested.Errorf("edit: sources %d: %w", i, err)
			}
		}
		out[i].set = known[d.Sources]
	}
	return out, nil
}

// labelsOf returns the acceptor of the labels of a set.
func labelsOf(set, read *machine) (*machine, error) {
	return machines.Scaled.Connect(machines.Scaled.ProjectOut(machines.Scaled.Compose(set, read)), nil)
}

// asExamples returns the data as examples for a model with the parameters p.
func asExamples(p *em.Params, data []Pair, sources []side) ([]cascade.Example, error) {
	out := make([]cascade.Example, len(data))
	sets := map[*machine]cascade.Side{}
	known := func(labels []int32, set *machine) cascade.Side {
		if set == nil {
			return cascade.Labels(labels...)
		}
		if _, ok := sets[set]; !ok {
			sets[set] = cascade.Set(cascade.Constants(p, set))
		}
		return sets[set]
	}
	for i, d := range data {
		out[i].Weight = d.Weight
		if d.Weight.Float64() == 0 {
			continue
		}
		out[i].X, out[i].Y = known(sources[i].labels, sources[i].set), known(d.Target, d.Targets)
		if err := cmp.Or(out[i].X.Err(), out[i].Y.Err()); err != nil {
			return nil, nested.Errorf("edit: pair %d: %w", i, err)
		}
	}
	return out, nil
}
