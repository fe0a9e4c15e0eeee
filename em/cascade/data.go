package cascade

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"strconv"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/feed"
	"example.org/pathsum/em/internal/shardsize"
	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
)

// Data are what a Problem's parameters are estimated from.
type Data struct {
	// Examples are the data, unless there is a Stream.
	Examples []Example
	// Stream has the examples where they do not fit in memory. It is read once to count and
	// check them, and once in each E step unless all examples have lattices that are kept.
	// The result has the bits that the same Examples give. Memory, beside lattices that are
	// kept, is that of some thousands of examples per worker, 2 MB, and what
	// em.Expectations.Skipped says of each example that is skipped. One goroutine at a time
	// reads, while others work on what it has read.
	Stream *Stream
	// Underivable says what to do with examples of probability 0 (default
	// Fail).
	Underivable em.Policy
	// CacheBytes is the memory that lattices may take from one iteration to
	// the next (default 1 GiB; negative: none). What does not fit is built anew
	// in each iteration. It does not change a bit of the result.
	CacheBytes int64
	// LatticeLimit bounds the states and arcs of one example's lattice before
	// trimming (default 1<<26).
	LatticeLimit int
	// Within, if not nil, sums over parts of lattices instead of the whole. They are kept
	// whatever they take, there is a lattice for each example, and they are of Examples.
	Within *Within
	// Way says which examples are summed over without a lattice (default BySize). It
	// makes no difference to the results but rounding. To set it is of use where the sizes
	// that are estimated from a sample of the data mislead, and to find that out.
	Way Way
	// ShardSize is the number of examples of each shard but the last (default: that of
	// em.NewCut). It makes a difference to the rounding of results. A process that has one
	// shard of the data makes it one shard by any number that is not less.
	ShardSize int
}

// Pairs returns data of pairs of texts: the first of each is X, as what a model reads, and the
// second is Y, what it writes. Both are as in Text. Examples are named by the beginnings of
// their texts, in quotes, as are those of Inputs and Outputs: that takes a few dozen bytes each.
func Pairs(pairs [][2]string) Data {
	d := Data{Examples: make([]Example, len(pairs))}
	var names namer
	for i, p := range pairs {
		d.Examples[i] = Example{X: Text(p[0]), Y: Text(p[1]), Name: names.name(p[:]...)}
	}
	return d
}

// Inputs returns data of which X is known, what a model reads, and nothing of Y: the strings of
// an acceptor, for instance.
func Inputs(texts ...string) Data {
	d := Data{Examples: make([]Example, len(texts))}
	var names namer
	for i, text := range texts {
		d.Examples[i] = Example{X: Text(text), Name: names.name(text)}
	}
	return d
}

// Outputs returns data of which Y is known, what a model writes, and nothing of X.
func Outputs(texts ...string) Data {
	return Inputs(texts...).Inverse()
}

// namer makes names of examples.
type namer struct{ text []byte } // its storage

// nameRunes is how much of each text a name has, in characters.
const nameRunes = 24

func (n *namer) name(texts ...string) string {
	n.text = n.text[:0]
	for i, text := range texts {
		if i > 0 {
			n.text = append(n.text, " and "...)
		}
		runes := 0
		for at := range text {
			if runes++; runes > nameRunes {
				text = text[:at] + "…"
				break
			}
		}
		n.text = strconv.AppendQuote(n.text, text)
	}
	return string(n.text)
}

// Inverse returns the data with X and Y of each example exchanged: for the same pairs in a model
// of the other direction, as fst.FST.Inverse is. Names, Branches and Tapes stay as they are.
// What is known of the sides is shared, not copied.
func (d Data) Inverse() Data {
	inverse := func(x Example) Example {
		x.X, x.Y = x.Y, x.X
		return x
	}
	if d.Stream != nil {
		d.Stream = d.changed(inverse)
		return d
	}
	examples := make([]Example, len(d.Examples))
	for i, x := range d.Examples {
		examples[i] = inverse(x)
	}
	d.Examples = examples
	return d
}

// Way is how to sum over the derivations of examples that are strings. The results are the
// same but for rounding.
//
// A lattice x ∘ f ∘ y can be composed for each example, whatever is known of x and y. But the
// lattice of strings depends on the data through nothing but the labels there, so that the
// cascade can be compiled once for all of them. If one string is known, and nothing of the
// other, there is a matrix of expressions for each label: the sums over all that the machines
// do up to the end of the arc that has the label. The derivations of an example are then the
// paths of a trellis. If both strings are known, there is one machine without arcs ε:ε, and
// the derivations are the paths of a grid (package semiring/grid). If one string is Soft, and
// nothing of the other known, there is one acceptor of labels, and the derivations are its paths
// through the frames (package semiring/frames). An E step gives values to these cells, sums over
// a trellis, a grid or frames for each example, and takes the expected uses of cells to the
// parameters once.
//
// The first E step estimates from a sample how many arcs are summed over either way, and chooses.
// em.Expectations.Latticeless says how many examples had no lattice. Where the results would not
// be the same, an E step is made by lattices: for best paths, if a cell stands for several
// paths, and if an expression has no value at its θ, or no accurate one. Second derivatives of
// Soft sides (em.Query.Tangent) are taken by lattices too.
type Way int

const (
	// BySize: without lattices where no more arcs are summed over, or where lattices have no
	// room and would be composed in each E step.
	BySize Way = iota
	// ByLattice: by a lattice for each example.
	ByLattice
	// ByBlocks: without lattices, where that is possible at all.
	ByBlocks
)

// String returns the name of the way.
func (w Way) String() string {
	switch w {
	case BySize:
		return "by size"
	case ByLattice:
		return "by lattice"
	case ByBlocks:
		return "by blocks"
	}
	return fmt.Sprintf("Way(%d)", int(w))
}

// defaultCache is the default of CacheBytes.
const defaultCache = 1 << 30

func (d Data) complete() Data {
	d.CacheBytes = cmp.Or(d.CacheBytes, defaultCache)
	d.LatticeLimit = cmp.Or(d.LatticeLimit, 1<<26)
	if d.Within != nil {
		d.Way, d.CacheBytes = ByLattice, math.MaxInt64
	}
	return d
}

// all returns all examples in their order.
func (d Data) all() iter.Seq2[Example, error] {
	if d.Stream != nil {
		return d.Stream.All()
	}
	return func(yield func(Example, error) bool) {
		for _, x := range d.Examples {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// changed returns the stream of all examples as change makes them.
func (d Data) changed(change func(Example) Example) *Stream {
	if d.Stream != nil {
		return &Stream{sourceOf(d.Stream).Map(change)}
	}
	return &Stream{feed.Sequence(d.all()).Map(change)}
}

// check returns what is wrong with all but the examples.
func (d Data) check() error {
	switch {
	case d.ShardSize < 0:
		return nested.Errorf("cascade: %w: shards of %d examples", em.ErrInvalid, d.ShardSize)
	case d.LatticeLimit < 0:
		return nested.Errorf("cascade: %w: lattice limit %d", em.ErrInvalid, d.LatticeLimit)
	case d.Underivable != em.Fail && d.Underivable != em.Skip:
		return nested.Errorf("cascade: %w: unknown policy %d", em.ErrInvalid, d.Underivable)
	case d.Way < BySize || d.Way > ByBlocks:
		return nested.Errorf("cascade: %w: unknown way %d", em.ErrInvalid, d.Way)
	case d.Within.check() != nil:
		return d.Within.check()
	case d.Within != nil && d.Stream != nil:
		return nested.Errorf("cascade: %w: Within parts of lattices, which are kept, of a Stream", em.ErrInvalid)
	case d.Stream != nil && d.Examples != nil:
		return nested.Errorf("cascade: %w: both Examples and a Stream", em.ErrInvalid)
	}
	return nil
}

// Stream is examples that do not fit in memory: Lines of text files, or any Sequence.
type Stream struct{ source examples }

// examples is a *feed.Source[Example], as packages that mention a Stream see it: they need not
// compile its methods.
type examples interface {
	All() iter.Seq2[Example, error]
}

// sourceOf returns the source of a stream.
func sourceOf(s *Stream) *feed.Source[Example] { return s.source.(*feed.Source[Example]) }

// Sequence returns the stream of what a sequence yields, the same examples each time that it
// is called. An error that it yields ends training.
func Sequence(of iter.Seq2[Example, error]) *Stream {
	nonnil.Check("cascade: Sequence", "sequence", of)
	return &Stream{feed.Sequence(of)}
}

// Lines returns the stream of text files of which each line is an example. They are read one
// after the other, as they are needed and never held as a whole, so that data may be larger
// than memory, in one file or in many.
//
// example makes an example of a line, the same one each time. Several goroutines call it at
// once, the workers of an E step for the lines that they need, so that little is left for one
// of them at a time. If only one may call it, make a Sequence of All.
//
// A file whose name ends in .gz is decompressed as it is read. Text is UTF-8; a byte order
// mark at the beginning of a file is ignored, a line ends with a line feed, a carriage
// return or both, and the last line may lack its end. Examples are numbered over all files: an
// Example.Name says more in messages.
//
// What is wrong is an error that says in which file and line it is. It wraps that of example,
// the system's, or em.ErrInvalid for what is no UTF-8 or longer than 1 MiB, the longest line.
// Standard input cannot be read twice: the name "-" is an error.
func Lines(files []string, example func(Line) (Example, error)) *Stream {
	nonnil.Check("cascade: Lines", "function of a line", example)
	return &Stream{feed.Lines(files, func(file string, l text.Line, room *feed.Room) (Example, error) {
		if l.Err != nil {
			return Example{}, nested.Errorf("cascade: %w: %w", em.ErrInvalid, l.Err)
		}
		x, err := example(Line{file, l.Number, l.Text, room})
		if err != nil {
			return Example{}, nested.Errorf("cascade: %w", &text.Error{File: file, Line: l.Number, Err: err})
		}
		return x, nil
	})}
}

// All returns the examples in their order. The first error ends the sequence.
func (s *Stream) All() iter.Seq2[Example, error] { return s.source.All() }

// Line is a line of a text.
type Line struct {
	File   string
	Number int    // from 1
	Text   string // without its end; it shares storage with lines near it

	room *feed.Room // of the shard
}

// Labels returns n zeros for the labels of the line's example. They cost less than those of
// make, as the same storage serves one shard after another. It is for the example alone, and
// for none but the call that the line was passed to.
func (l Line) Labels(n int) []int32 {
	if l.room == nil {
		return make([]int32, n)
	}
	return l.room.Take(n)
}

// Within says which part of a lattice an E step sums over, where the whole is too large or
// takes too long. The sum is then a lower bound, and training raises that. An upper bound
// comes with it whenever a part is chosen (em.Expectations.Gap): what was left out is bounded
// by what it would have to go through.
//
// The part of an example is chosen at the θ of its first E step, and anew in each E step that
// may do so (em.Query.Choose), which Fit allows every so many iterations (em.Options.ChooseEvery).
// The part that was there before stays if it has the higher sum at the new θ. So no choice
// lowers the objective, nor do EM, Incremental and Anneal (at one temperature) on the parts
// as they are. Methods that follow a gradient or extrapolate keep the parts of the first E
// step of each start. The objective may fall for Stepwise as ever, and it does not compare
// before and after a start gives way to another one (em.Options.Prune) or is resumed from a
// checkpoint. A resumed run chooses anew, and need not have the bits of one without a break. Nor
// does a second Fit of the same Likelihood, which has parts from the first. Where each E step is
// made by a Likelihood of its own, as on a cluster, no part stays, and the objective may fall.
type Within struct {
	// Beam keeps the derivations of at least this fraction of the best one's weight, and
	// others made of the same arcs: a number in (0, 1), smaller for more.
	Beam float64
	// States ends the beam where this many states have been kept, those of the best
	// derivations (0: no limit). The best derivation is kept in any case.
	States int
	// K, in place of a Beam, keeps the K best derivations and nothing else: a K-best E
	// step. With K = 1 training is Viterbi training, chosen as often as parts are.
	K int
	// Whole is the number of states and arcs up to which a lattice is made as a whole to
	// choose from, which is then forgotten: the upper bound is the sum (default 1<<20;
	// negative: none). A larger one is searched, best first, and only a cascade without
	// Branches may be larger. Its weights must not exceed 1. What lies ahead of a state is
	// then bounded by smaller machines, whose states stand for several and have the
	// greatest weights that these have. It is at most 1, besides, where weights are
	// probabilities of pairs, or of outputs given the input.
	Whole int
}

// wholeByDefault is the default of Within.Whole.
const wholeByDefault = 1 << 20

// check returns what is wrong with w, nil for nothing.
func (w *Within) check() error {
	switch {
	case w == nil:
		return nil
	case (w.Beam == 0) == (w.K == 0):
		return nested.Errorf("cascade: %w: Within a beam or K derivations, one of them", em.ErrInvalid)
	case w.K < 0 || w.States < 0:
		return nested.Errorf("cascade: %w: Within %d derivations or %d states", em.ErrInvalid, w.K, w.States)
	case w.K == 0 && !(w.Beam > 0 && w.Beam < 1):
		return nested.Errorf("cascade: %w: Within a beam of %g, want a number in (0, 1)", em.ErrInvalid, w.Beam)
	case w.K > 0 && w.States > 0:
		return nested.Errorf("cascade: %w: Within %d states, but not in a beam", em.ErrInvalid, w.States)
	}
	return nil
}

// weightSums adds up the weights of examples shard by shard, although how they are cut
// shows only when all have been seen. It remembers a few of them one by one; of more than
// these a shard always has shardsize.Max, as in em.NewCut.
type weightSums struct {
	size     int // of shards, if it is known
	examples int
	few      []float64 // of the first shardsize.Many, where it is not
	sums     []float64 // of size, or shardsize.Max, each
}

func (w *weightSums) add(weight float64) {
	if w.size == 0 && w.examples < shardsize.Many {
		w.few = append(w.few, weight)
	}
	if w.examples%cmp.Or(w.size, shardsize.Max) == 0 {
		w.sums = append(w.sums, 0)
	}
	w.sums[len(w.sums)-1] += weight
	w.examples++
}

// perShard returns the sums for the shards of the size, or of em.NewCut.
func (w *weightSums) perShard() []float64 {
	if w.size > 0 || w.examples > shardsize.Many {
		return w.sums
	}
	cut := em.NewCut(w.examples)
	sums := make([]float64, cut.Shards())
	for i := range sums {
		lo, hi := cut.Shard(i)
		sums[i] = vector.Sum(w.few[lo:hi])
	}
	return sums
}

// check returns what is wrong with the weights as a whole, each being finite and ≥ 0: nil
// for nothing.
func (w *weightSums) check() error {
	for _, x := range w.sums {
		if x > 0 {
			return nil
		}
	}
	if w.examples == 0 {
		return nested.Errorf("cascade: %w: no examples", em.ErrInvalid)
	}
	return nested.Errorf("cascade: %w: no examples of a weight > 0", em.ErrInvalid)
}
