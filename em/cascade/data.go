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

// Data are the examples from which a Problem's parameters are estimated, and settings for their
// sums.
type Data struct {
	// Examples are the data, unless there is a Stream.
	Examples []Example
	// Stream has the examples if they do not fit in memory. It is read once to count and check
	// them, and once in each E step unless all examples have lattices that are kept. The result
	// has the same bits as with the same Examples. Besides kept lattices, memory is needed for
	// some thousands of examples per worker, 2 MB, and the em.Expectations.Skipped entry of each
	// skipped example. One goroutine at a time reads, while others work on examples already read.
	Stream *Stream
	// Underivable is the policy for examples of probability 0 (default Fail).
	Underivable em.Policy
	// CacheBytes is the memory for lattices kept from one iteration to the next (default 1 GiB;
	// negative: none). Lattices that do not fit are rebuilt in each iteration. It does not change
	// a bit of the result.
	CacheBytes int64
	// LatticeLimit bounds the states and arcs of one example's lattice before
	// trimming (default 1<<26).
	LatticeLimit int
	// Pruning, if not nil, sums over parts of lattices instead of whole lattices. The parts are
	// kept regardless of CacheBytes. Every example has a lattice, and a Stream is not allowed.
	Pruning *Pruning
	// Strategy selects the examples that are summed over without a lattice (default BySize). It
	// changes results only by rounding. Set it only if the sizes estimated from a sample of the
	// data are misleading, or to check whether they are.
	Strategy Strategy
	// ShardSize is the number of examples of each shard but the last (default: chosen by
	// em.NewCut). It changes the rounding of results. A process that holds one shard of the data
	// treats it as one shard if ShardSize is at least its number of examples.
	ShardSize int
}

// Pairs returns data of pairs of texts: the first of each pair is X, the model's input, and the
// second is Y, its output. Both are as in Text. The name of an example is the quoted beginnings
// of its texts, as in Inputs and Outputs. Each name takes a few dozen bytes.
func Pairs(pairs [][2]string) Data {
	d := Data{Examples: make([]Example, len(pairs))}
	var names namer
	for i, p := range pairs {
		d.Examples[i] = Example{X: Text(p[0]), Y: Text(p[1]), Name: names.name(p[:]...)}
	}
	return d
}

// Inputs returns data with X known, the model's input, and Y unknown: the strings of an acceptor,
// for instance.
func Inputs(texts ...string) Data {
	d := Data{Examples: make([]Example, len(texts))}
	var names namer
	for i, text := range texts {
		d.Examples[i] = Example{X: Text(text), Name: names.name(text)}
	}
	return d
}

// Outputs returns data with Y known, the model's output, and X unknown.
func Outputs(texts ...string) Data {
	return Inputs(texts...).Inverse()
}

// namer makes names of examples.
type namer struct{ text []byte } // scratch

// nameRunes is the maximum number of characters of each text in a name.
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
// of the opposite direction, such as fst.FST.Inverse makes. Names, Branches and Tapes are
// unchanged. The sides are shared, not copied.
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

// Strategy is the method of summing over the derivations of examples that are strings. All
// strategies have the same results up to rounding.
//
// A lattice x ∘ f ∘ y can be composed for each example, whatever its sides are. But the lattice
// of strings depends on the data only through their labels, so that the cascade can be compiled
// once for all examples. If one string is known and the other side unknown, there is a matrix of
// expressions for each label. An entry sums over all that the machines do up to the end of the
// arc that has the label. The derivations of an example are then the paths of a trellis. If both
// strings are known, there is one machine without arcs ε:ε, and the derivations are the paths of
// a grid (package semiring/grid). If one side is Soft and the other unknown, there is one
// acceptor of labels, and the derivations are its paths through the frames (package
// semiring/frames). An E step evaluates these cells, sums over a trellis, a grid or frames for
// each example, and backpropagates the expected uses of cells to the parameters once.
//
// The first E step estimates from a sample how many arcs each way would sum over, and chooses.
// em.Expectations.WithoutLattice counts the examples without a lattice. An E step uses lattices if
// the results would differ otherwise: for best paths, if a cell sums over several paths, and if
// an expression has no value, or no accurate one, at the current θ.
type Strategy int

const (
	// BySize: without lattices if this sums over no more arcs, or if lattices would not fit in
	// memory and would be composed in each E step.
	BySize Strategy = iota
	// ByLattice: by a lattice for each example.
	ByLattice
	// ByBlocks: without lattices whenever possible.
	ByBlocks
)

// String returns the name of the way.
func (w Strategy) String() string {
	switch w {
	case BySize:
		return "by size"
	case ByLattice:
		return "by lattice"
	case ByBlocks:
		return "by blocks"
	}
	return fmt.Sprintf("Strategy(%d)", int(w))
}

// defaultCache is the default of CacheBytes.
const defaultCache = 1 << 30

func (d Data) complete() Data {
	d.CacheBytes = cmp.Or(d.CacheBytes, defaultCache)
	d.LatticeLimit = cmp.Or(d.LatticeLimit, 1<<26)
	if d.Pruning != nil {
		d.Strategy, d.CacheBytes = ByLattice, math.MaxInt64
	}
	return d
}

// all returns all examples in order.
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

// changed returns the stream of all examples, transformed by change.
func (d Data) changed(change func(Example) Example) *Stream {
	if d.Stream != nil {
		return &Stream{sourceOf(d.Stream).Map(change)}
	}
	return &Stream{feed.Sequence(d.all()).Map(change)}
}

// check returns an error if a setting, apart from the examples, is invalid.
func (d Data) check() error {
	switch {
	case d.ShardSize < 0:
		return nested.Errorf("cascade: %w: shards of %d examples", em.ErrInvalid, d.ShardSize)
	case d.LatticeLimit < 0:
		return nested.Errorf("cascade: %w: lattice limit %d", em.ErrInvalid, d.LatticeLimit)
	case d.Underivable != em.Fail && d.Underivable != em.Skip:
		return nested.Errorf("cascade: %w: unknown policy %d", em.ErrInvalid, d.Underivable)
	case d.Strategy < BySize || d.Strategy > ByBlocks:
		return nested.Errorf("cascade: %w: unknown Strategy %d", em.ErrInvalid, d.Strategy)
	case d.Pruning.check() != nil:
		return d.Pruning.check()
	case d.Pruning != nil && d.Stream != nil:
		return nested.Errorf("cascade: %w: Pruning keeps parts of lattices, and a Stream keeps none", em.ErrInvalid)
	case d.Stream != nil && d.Examples != nil:
		return nested.Errorf("cascade: %w: both Examples and a Stream", em.ErrInvalid)
	}
	return nil
}

// Stream is a sequence of examples that do not fit in memory: Lines of text files, or any
// Sequence.
type Stream struct{ source examples }

// examples is a *feed.Source[Example]. Packages that mention a Stream need not compile the
// methods of the concrete type.
type examples interface {
	All() iter.Seq2[Example, error]
}

func sourceOf(s *Stream) *feed.Source[Example] { return s.source.(*feed.Source[Example]) }

// Sequence returns the stream of the examples of a sequence, which must yield the same examples
// in each iteration. An error that it yields ends training.
func Sequence(of iter.Seq2[Example, error]) *Stream {
	nonnil.Check("cascade: Sequence", "sequence", of)
	return &Stream{feed.Sequence(of)}
}

// Lines returns the stream of text files with one example per line. The files are read one after
// the other, as needed and never held as a whole. So data may be larger than memory, in one file
// or in many.
//
// The function example makes an example from a line, the same one in each call. Several
// goroutines, the workers of an E step, call it at once for their lines, which leaves little work
// to one goroutine at a time. If only one goroutine may call it, make a Sequence of All.
//
// A file whose name ends in .gz is decompressed as it is read. Text is UTF-8; a byte order mark
// at the beginning of a file is ignored. A line ends with a line feed, a carriage return or both;
// the end of the last line is optional. Examples are numbered across all files; set Example.Name
// for clearer messages.
//
// Errors contain the file and line. They wrap the error of example, the system's error, or
// em.ErrInvalid for text that is not UTF-8 or a line longer than 1 MiB. Standard input cannot be
// read twice: the name "-" is an error.
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

// All returns the examples in order. The first error ends the sequence.
func (s *Stream) All() iter.Seq2[Example, error] { return s.source.All() }

// Line is a line of a text.
type Line struct {
	File   string
	Number int    // from 1
	Text   string // without the line end; nearby lines share its storage

	room *feed.Room // of the shard
}

// Labels returns n zeros for the labels of the line's example. This is cheaper than make, because
// the storage is reused for each shard. Use it only for this example, and only in the call that
// received the line.
func (l Line) Labels(n int) []int32 {
	if l.room == nil {
		return make([]int32, n)
	}
	return l.room.Take(n)
}

// Pruning selects the part of a lattice that an E step sums over, if the whole is too large or
// takes too long. The sum is then a lower bound, which training raises. Each choice of a part
// also computes an upper bound (em.Expectations.Gap): the mass outside the part is bounded
// through the states that its derivations would have to pass.
//
// The part of an example is chosen at the θ of its first E step, and again in each E step that
// may choose (em.Query.Choose). Fit allows a choice at regular intervals
// (em.Options.ChooseEvery). The previous part stays if it has the higher sum at the new θ. So a
// choice never lowers the objective. With fixed parts, neither do EM, Incremental and Anneal (at
// one temperature). Methods that follow a gradient or extrapolate keep the parts of the first E
// step of each start.
//
// The objective may still fall with Stepwise. Its values are not comparable before and after one
// start replaces another (em.Options.Prune), or before and after a resumption from a checkpoint.
// A resumed run chooses parts again, and may differ in bits from an uninterrupted one. The same
// holds for a second Fit of the same Likelihood, which has parts from the first. If each E step
// is made by a separate Likelihood, as on a cluster, no part is kept, and the objective may fall.
type Pruning struct {
	// Beam keeps the derivations of at least this fraction of the best one's weight, and other
	// derivations through the same arcs. It is a number in (0, 1); a smaller one keeps more.
	Beam float64
	// States stops the beam after this many states, those of the best derivations, have been kept
	// (0: no limit). The best derivation is always kept.
	States int
	// K, in place of a Beam, keeps exactly the K best derivations: a K-best E step. K = 1 is
	// Viterbi training with a choice of derivations as often as parts are chosen.
	K int
	// Whole is the largest size, in states and arcs, of a lattice that is built as a whole for
	// the choice and then dropped (default 1<<20; negative: none). The upper bound is then the
	// exact sum. A larger lattice is searched, best first. This requires a cascade without
	// Branches and weights of at most 1. The search bounds the weight ahead of a state by smaller
	// machines. Each of their states represents several states, with the greatest of their
	// weights. If the weights are probabilities of pairs, or of outputs given the input, the
	// bound is also at most 1.
	Whole int
}

// wholeByDefault is the default of Pruning.Whole.
const wholeByDefault = 1 << 20

// check returns an error if w is invalid.
func (w *Pruning) check() error {
	switch {
	case w == nil:
		return nil
	case (w.Beam == 0) == (w.K == 0):
		return nested.Errorf("cascade: %w: Pruning needs a beam or K derivations, and not both", em.ErrInvalid)
	case w.K < 0 || w.States < 0:
		return nested.Errorf("cascade: %w: Pruning to %d derivations or %d states", em.ErrInvalid, w.K, w.States)
	case w.K == 0 && !(w.Beam > 0 && w.Beam < 1):
		return nested.Errorf("cascade: %w: Pruning with a beam of %g, want a number in (0, 1)", em.ErrInvalid, w.Beam)
	case w.K > 0 && w.States > 0:
		return nested.Errorf("cascade: %w: Within %d states, but not in a beam", em.ErrInvalid, w.States)
	}
	return nil
}

// weightSums adds up the weights of examples by shard, although the division into shards is known
// only after all examples. It stores the first shardsize.Many weights one by one. With more
// examples, a shard always has shardsize.Max of them, as in em.NewCut.
type weightSums struct {
	size     int // of shards; 0 if unknown
	examples int
	few      []float64 // the first shardsize.Many weights, if size is unknown
	sums     []float64 // each of size, or shardsize.Max, examples
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

// perShard returns the sums for shards of the given size, or of em.NewCut.
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

// check returns an error unless at least one weight is positive. Each weight is finite and ≥ 0.
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
