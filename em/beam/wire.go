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

// contribution is the contribution of a shard to a block of the sums, in bytes: the index of
// the shard, then runs of numbers that are not 0. A run consists of the index of its first number
// in the block, its length, and its counts, followed by their derivatives if the E step has
// any. Runs are in the order of the tally, and an index may
// occur more than once: this is necessary for the same bits as in one process.
type contribution []byte

// newContribution returns an empty contribution of a shard to some block.
func newContribution(shard int) contribution {
	return binary.AppendUvarint(nil, uint64(shard))
}

// shard returns the index of the shard, and the bytes after it.
func (c contribution) shard() (int, []byte, error) {
	n, size := binary.Uvarint(c)
	if size <= 0 || n > math.MaxInt32 {
		return 0, nil, errWire
	}
	return int(n), c[size:], nil
}

var errWire = nested.Errorf("beam: damaged contribution of a shard")

// appendRun appends a run. change has the same length as value, or is empty for an E step
// without derivatives.
func (c contribution) appendRun(at int, value, change []float64) contribution {
	c = binary.AppendUvarint(c, uint64(at))
	c = binary.AppendUvarint(c, uint64(len(value)))
	return appendFloats(appendFloats(c, value), change)
}

// addRuns adds weight times the numbers in runs.
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

// floats returns the numbers in b.
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

// append appends the run lo … hi − 1 of d, which lies in one block and begins at index number.
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

// numbers returns the blocks that have contributions, in ascending order.
func (b *blocks) numbers() []int {
	all := make([]int, 0, len(b.of))
	for k := range b.of {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// report is the output of a worker for a shard, except for its contributions.
type report struct {
	Shard   int
	Layout  string
	Blocks  []int      // the blocks to which it contributes
	Tallies []em.Tally // without counts
	Failure *failure
}

// verdicts are the errors that are due to the model, θ or the data. An E step that fails with a
// verdict fails in the same way on any worker, and Fit handles it. All other errors, such as read
// errors, are faults of a worker, which is tried again.
var verdicts = []error{
	em.ErrInvalid, em.ErrParameter, em.ErrUnderivable, em.ErrMethod, em.ErrNoMode,
	semiring.ErrDiverges, semiring.ErrInaccurate, semiring.ErrNotFinite, semiring.ErrLimit, semiring.ErrCapability,
	expr.ErrParam, expr.ErrDivision,
	fs.ErrNotExist, // see missing
}

// missing reports whether an error is about a file that a worker cannot find. Another worker, or
// the same one later, may find it, so the shard is tried again, as for a fault.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// failure is an error that wraps verdicts, in a form that can be sent between processes.
type failure struct {
	Text string
	Of   []int // indices of the verdicts that it wraps
}

// failureOf returns err as a failure, or nil if it wraps no verdict.
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
