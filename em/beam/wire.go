package beam

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// contribution is what a shard contributes to a block of the sums, in bytes: the number of
// the shard, then runs of numbers that are not all 0. A run is the place of the first in the
// block, how many there are, and their counts, followed by their derivatives if there are
// any in the E step. Runs are in the order in which the tally has them, and a number may
// come more than once: only so do sums have the bits of those in one process.
type contribution []byte

// newContribution returns a contribution of a shard to some block, still empty.
func newContribution(shard int) contribution {
	return binary.AppendUvarint(nil, uint64(shard))
}

// shard returns the number of the shard, and what follows it.
func (c contribution) shard() (int, []byte, error) {
	n, size := binary.Uvarint(c)
	if size <= 0 || n > math.MaxInt32 {
		return 0, nil, errWire
	}
	return int(n), c[size:], nil
}

var errWire = nested.Errorf("beam: damaged contribution of a shard")

// appendRun appends a run. change is of the same length as value, or empty for an E step
// without derivatives.
func (c contribution) appendRun(at int, value, change []float64) contribution {
	c = binary.AppendUvarint(c, uint64(at))
	c = binary.AppendUvarint(c, uint64(len(value)))
	return appendFloats(appendFloats(c, value), change)
}

// add adds weight times what follows the number of the shard.
func addRuns(runs []byte, weight float64, value, change []float64) error {
	for len(runs) > 0 {
		at, n := binary.Uvarint(runs)
		if n <= 0 {
			return errWire
		}
		runs = runs[n:]
		length, n := binary.Uvarint(runs)
		if n <= 0 {
			return errWire
		}
		runs = runs[n:]
		if at > uint64(len(value)) || length > uint64(len(value))-at {
			return errWire
		}
		for _, v := range [][]float64{value, change} {
			if v == nil {
				continue
			}
			if uint64(len(runs)) < 8*length {
				return errWire
			}
			v = v[at : at+length]
			for i := range v {
				v[i] += weight * math.Float64frombits(binary.LittleEndian.Uint64(runs[8*i:]))
			}
			runs = runs[8*length:]
		}
	}
	return nil
}

func appendFloats(b []byte, v []float64) []byte {
	b = slices.Grow(b, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// floats returns the numbers that b holds.
func floats(b []byte) []float64 {
	v := make([]float64, len(b)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v
}

// blocks are the contributions of a shard to all blocks of a size.
type blocks struct {
	shard, size int
	second      bool // there are derivatives
	of          map[int]contribution
	zeros       []float64
}

// add appends the entries of a tally.
func (b *blocks) add(t *em.Tally) {
	for first, d := range t.Entries() {
		for lo := 0; lo < len(d.Value); {
			if d.Value[lo] == 0 && (len(d.Change) == 0 || d.Change[lo] == 0) {
				lo++
				continue
			}
			number := int(first) + lo
			hi := min(len(d.Value), lo+b.size-number%b.size)
			for k := lo; k < hi; k++ {
				if d.Value[k] == 0 && (len(d.Change) == 0 || d.Change[k] == 0) {
					hi = k
				}
			}
			b.append(number, d, lo, hi)
			lo = hi
		}
	}
}

// append appends the run lo … hi − 1 of d, which is in one block and begins with a number.
func (b *blocks) append(number int, d expr.Dual, lo, hi int) {
	var change []float64
	if b.second {
		if len(d.Change) > 0 {
			change = d.Change[lo:hi]
		} else {
			b.zeros = append(b.zeros, make([]float64, max(0, hi-lo-len(b.zeros)))...)
			change = b.zeros[:hi-lo]
		}
	}
	block := number / b.size
	c, ok := b.of[block]
	if !ok {
		c = newContribution(b.shard)
	}
	b.of[block] = c.appendRun(number%b.size, d.Value[lo:hi], change)
}

// numbers returns the blocks to which there are contributions, in ascending order.
func (b *blocks) numbers() []int {
	all := make([]int, 0, len(b.of))
	for k := range b.of {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// report is what a worker says of a shard, beside its contributions.
type report struct {
	Shard   int
	Layout  string
	Blocks  []int      // to which it contributes
	Tallies []em.Tally // but their counts
	Failure *failure
}

// verdicts are the errors that say something of the model, θ and the data: an E step that
// ends with one ends so wherever it is made, and Fit knows what to do. All others, such as
// those of reading, are faults of a worker, which is asked again.
var verdicts = []error{
	em.ErrInvalid, em.ErrParameter, em.ErrUnderivable, em.ErrMethod, em.ErrNoMode,
	semiring.ErrDiverges, semiring.ErrInaccurate, semiring.ErrNotFinite, semiring.ErrLimit, semiring.ErrCapability,
	expr.ErrParam, expr.ErrDivision,
	fs.ErrNotExist, // see missing
}

// missing reports whether an error is about a file that a worker does not find. Another worker, or
// the same one later, may find it, so that it is asked again, as for a fault.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// failure is an error that wraps verdicts, as it goes from process to process.
type failure struct {
	Text string
	Of   []int // verdicts that it wraps
}

// failureOf returns err as a failure, nil if it wraps no verdict.
func failureOf(err error) *failure {
	f := &failure{Text: nested.Text(err)}
	for i, v := range verdicts {
		if errors.Is(err, v) {
			f.Of = append(f.Of, i)
		}
	}
	if f.Of == nil {
		return nil
	}
	return f
}

// Error returns the text.
func (f *failure) Error() string { return f.Text }

// Unwrap returns the verdicts.
func (f *failure) Unwrap() []error {
	var all []error
	for _, i := range f.Of {
		if i >= 0 && i < len(verdicts) {
			all = append(all, verdicts[i])
		}
	}
	return all
}
