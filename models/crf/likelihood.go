package crf

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
)

// Likelihood is the conditional log likelihood of labeled sequences, Σ ln P(labels | attributes),
// as a function of the weights: an em.Likelihood. Counts are the uses by the data minus expected
// uses.
//
// The model has no hidden variables, so a temperature β raises P(labels | attributes) to the
// power β and multiplies the likelihood by β. With the Viterbi E step the labels compete only
// with the best labeling; with a subgradient method this is a structured perceptron (Collins
// 2002). Every sequence has a derivation.
//
// Per position, an E step takes time proportional to the number of pairs plus, in a Chain, the
// square of the number of labels: a few multiplications each. A Tangent takes several times as
// long.
//
// An E step returns an error that wraps em.ErrParameter for an invalid θ or a Tangent of the
// wrong length. If weights are too large, it wraps semiring.ErrNotFinite, with the number of a
// sequence whose path sum is not finite, or em.ErrInvalid if the likelihood is not. It also fails
// if ctx is done.
type Likelihood struct {
	em.Likelihood
	kind   Kind
	params *em.Params
	labels *names
	data   *Data
	gold   []int32 // the label of every position
	of     []int32 // the model's number of each attribute of data, −1 if unknown; nil if numbers agree
	pairs  *pairs
	attr   []int32 // the attributes of data, by their numbers in shards
	shards []shard
}

// Shards depend only on the data. Their number keeps many workers busy and allows frequent
// updates by methods that use one shard at a time.
const (
	shardsWanted = 64
	shardMax     = 1 << 14 // positions in shards of more than one sequence
)

// Likelihood returns the likelihood of data, which must not change while it is in use. data may
// differ from the data of New and have attributes that the model lacks. The error wraps
// ErrInvalid if data have a label that the model lacks.
func (m *Model) Likelihood(data *Data) (*Likelihood, error) {
	nonnil.Check("crf: Likelihood", "data", data)
	l := &Likelihood{kind: m.kind, params: m.Params, labels: m.labels, data: data, pairs: m.pairs}
	if data.attributes.names != m.attributes {
		l.of = numbers(data.attributes.names, m.attributes)
	}
	of := numbers(data.labels, m.labels)
	for _, y := range data.gold {
		if of[y] < 0 {
			return nil, nested.Errorf("crf: %w: the model does not know the label %s", ErrInvalid, text.Quote(data.labels.list[y]))
		}
		l.gold = append(l.gold, of[y])
	}
	l.cut()
	s := l.sharded(l.begin)
	s.Finish = func(p *pass, e *em.Expectations) error {
		e.LogLikelihood *= p.beta
		return nil
	}
	l.Likelihood = s.Likelihood()
	return l, nil
}

// numbers returns the number in b of each name in a, −1 for a name that b lacks.
func numbers(a, b *names) []int32 {
	of := make([]int32, a.len())
	for i, name := range a.list {
		n, ok := b.number[name]
		if !ok {
			n = -1
		}
		of[i] = n
	}
	return of
}

// pairsOf returns the range of the pairs of an attribute of the data.
func (l *Likelihood) pairsOf(a int32) (lo, hi int32) {
	if l.of != nil {
		a = l.of[a]
	}
	if a < 0 || int(a) >= len(l.pairs.row)-1 {
		return 0, 0
	}
	return l.pairs.row[a], l.pairs.row[a+1]
}

// sharded returns the definition of the E steps of l.
func (l *Likelihood) sharded(begin func(em.Query) (*pass, error)) em.Sharded[*pass, worker] {
	ends := make([]int, len(l.shards))
	for i, s := range l.shards {
		ends[i] = s.hi
	}
	return em.Sharded[*pass, worker]{
		Package:     "crf",
		Params:      l.params,
		Fingerprint: l.fingerprint,
		Viterbi:     true,
		Tempered:    true,
		Curved:      true,
		Begin:       begin,
		NewWorker:   func() *worker { return &worker{l: l} },
		Cut:         em.NewCutAt(ends),
		Open: func(_ context.Context, w *worker, p *pass, shard int, t *em.Tally) error {
			w.open(&l.shards[shard], p, t)
			return nil
		},
		Sum: (*worker).sum,
	}
}

// begin begins an E step without a temperature, which is a factor of the result.
func (l *Likelihood) begin(q em.Query) (*pass, error) {
	beta := q.Temperature
	q.Temperature = 1
	p, err := l.newPass(q)
	if err != nil {
		return nil, err
	}
	p.beta = beta
	return p, nil
}

// cut makes the shards: runs of sequences with about the same number of positions.
func (l *Likelihood) cut() {
	d := l.data
	l.attr = make([]int32, len(d.attributes.attr))
	number := make([]int32, d.attributes.names.len())
	size := min((d.NumPositions()+shardsWanted-1)/shardsWanted, shardMax)
	for lo, hi := 0, 0; lo < d.NumSequences(); lo = hi {
		for hi = lo + 1; hi < d.NumSequences() && d.first[hi]-d.first[lo] < size; {
			hi++
		}
		l.shards = append(l.shards, l.newShard(lo, hi, number))
	}
}

// fingerprint writes the kind and the data.
func (l *Likelihood) fingerprint(w io.Writer) {
	d := l.data
	fmt.Fprintf(w, "%v %q %q\n", l.kind, d.labels.list, d.attributes.names.list)
	for _, v := range []any{int64s(d.first), d.gold, int64s(d.attributes.row), d.attributes.attr, d.attributes.value} {
		binary.Write(w, binary.LittleEndian, v)
	}
	if l.of != nil {
		fmt.Fprintf(w, "%q\n", l.labels.list)
		for _, v := range [][]int32{l.of, l.pairs.row, l.pairs.label} {
			binary.Write(w, binary.LittleEndian, v)
		}
	}
}

func int64s(v []int) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

// shard is a run of sequences. It numbers the attributes that occur in it in order of first
// occurrence, so that an E step accesses contiguous memory.
type shard struct {
	lo, hi int     // sequences
	pairs  pairs   // of the shard's attributes
	from   []int32 // per attribute of the shard: the number of its first pair
	arcs   int64

	// The indices of counts of the shard's pairs, and of transitions after them; see em.Tally.
	places, row []int32
}

// newShard returns the shard of the sequences lo, …, hi−1 and renumbers their attributes in
// l.attr. number is scratch storage that is all 0 before and after the call.
func (l *Likelihood) newShard(lo, hi int, number []int32) shard {
	d, s := l.data, shard{lo: lo, hi: hi, pairs: pairs{row: []int32{0}}}
	first, end := d.attributes.row[d.first[lo]], d.attributes.row[d.first[hi]]
	occurring := d.attributes.attr[first:end]
	for i, a := range occurring {
		if number[a] == 0 {
			lo, hi := l.pairsOf(a)
			s.from = append(s.from, lo)
			s.pairs.label = append(s.pairs.label, l.pairs.label[lo:hi]...)
			s.pairs.row = append(s.pairs.row, int32(len(s.pairs.label)))
			number[a] = int32(len(s.from)) // 1 + its number in the shard
		}
		l.attr[first+i] = number[a] - 1
	}
	for _, a := range occurring {
		number[a] = 0
	}
	n := len(l.pairs.label)
	s.places = append(s.from, int32(n))
	s.row = append(s.pairs.row, int32(len(s.pairs.label)+l.params.Len()-n))
	labels := int64(l.labels.len())
	for i := lo; i < hi; i++ {
		switch n := int64(d.first[i+1] - d.first[i]); {
		case n == 0:
		case l.kind == Chain:
			s.arcs += (n - 1) * labels * labels
		default:
			s.arcs += n * labels
		}
	}
	return s
}

// weights appends the weights of the shard's pairs to dst.
func (s *shard) weights(dst, theta []float64) []float64 {
	for a, from := range s.from {
		n := s.pairs.row[a+1] - s.pairs.row[a]
		dst = append(dst, theta[from:from+n]...)
	}
	return dst
}

func add(dst, v []float64) {
	for i, x := range v {
		dst[i] += x
	}
}
