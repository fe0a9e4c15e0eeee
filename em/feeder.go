package em

import (
	"fmt"
	"iter"
	"sync"
)

// feeder hands out the examples of shards during one E step, reading the stream at
// most once and no further than asked. Shards are asked for nearly in order, so
// that few of them wait to be fetched.
type feeder struct {
	t  *Lattices
	lo int // the first shard of the E step

	mu      sync.Mutex
	next    func() (Example, error, bool) // nil until it is needed
	stop    func()
	at      int // the next shard of the stream
	waiting map[int][]Example
	err     error
}

// shard returns the examples of shard i, which may be asked for once.
func (f *feeder) shard(i int) ([]Example, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil {
		f.next, f.stop = iter.Pull2(f.t.data.all())
		f.waiting = map[int][]Example{}
	}
	for f.err == nil && f.at <= i {
		var x []Example
		x, f.err = f.read(&f.t.shards[f.at])
		// A shard whose lattices are kept is not asked for.
		if f.at >= f.lo && f.t.shards[f.at].lattices == nil {
			f.waiting[f.at] = x
		}
		f.at++
	}
	if f.err != nil {
		return nil, f.err
	}
	x := f.waiting[i]
	delete(f.waiting, i)
	return x, nil
}

// read reads the examples of s from the stream.
func (f *feeder) read(s *shard) ([]Example, error) {
	examples := make([]Example, 0, s.hi-s.lo)
	for i := s.lo; i < s.hi; i++ {
		x, err, ok := f.next()
		if !ok {
			return nil, fmt.Errorf("em: %w: %d examples, but %d the first time", ErrInvalid, i, f.t.examples())
		}
		if err == nil {
			err = f.t.problem.checkExample(i, x)
		}
		if err != nil {
			return nil, err
		}
		examples = append(examples, x)
	}
	return examples, nil
}

// close ends the reading.
func (f *feeder) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stop != nil {
		f.stop()
	}
}
