package feed

import (
	"slices"
	"sync"
)

// Feeder distributes the examples of shards during one pass. It reads a source at most once and
// only up to the last requested shard. Shards should be requested nearly in order, so that few of
// them wait to be fetched. One goroutine at a time reads; each makes and checks the examples of its
// own shards.
type Feeder[X any] struct {
	source *Source[X]
	shards Shards

	mu      sync.Mutex
	reader  reader[X] // nil until the first fetch
	at      int       // the next shard of the source
	waiting map[int]*Portion[X]
	spare   []*Portion[X]
	err     error // the error that ended reading
}

// Shards defines how the examples of a source are cut.
type Shards interface {
	// Shard returns the first example of a shard and the first after its last.
	Shard(i int) (lo, hi int)
	// Wanted reports whether shard i may be requested in this pass.
	Wanted(i int) bool
}

// NewFeeder returns a feeder for one pass. The caller closes it afterwards.
func NewFeeder[X any](source *Source[X], shards Shards) *Feeder[X] {
	return &Feeder[X]{source: source, shards: shards}
}

// Shard returns the examples of shard i, which may be requested once. They are valid until p,
// the storage of the calling goroutine, is used again. check returns an error if
// example i is invalid. If the source ends too soon, Shard returns short(n), where n is the
// number of examples in the source.
func (f *Feeder[X]) Shard(i int, p *Portion[X], check func(i int, x *X) error, short func(n int) error) ([]X, error) {
	if err := f.fetch(i, p); err != nil {
		return nil, err
	}
	if p.room == nil {
		p.room = new(Room)
	}
	p.room.labels = p.room.labels[:0]
	lo, hi := f.shards.Shard(i)
	made := slices.Grow(p.examples[:0], hi-lo) // in place, if the examples were read whole
	for x, err := range p.all() {
		if err == nil {
			err = check(lo+len(made), x)
		} else if err == errEnd {
			err = short(lo + len(made))
		}
		if err != nil {
			return nil, err
		}
		made = append(made, *x)
	}
	p.examples = made[:0]
	return made, nil
}

// fetch sets p to the portion of shard i.
func (f *Feeder[X]) fetch(i int, p *Portion[X]) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reader == nil {
		f.reader, f.waiting = f.source.reader(), map[int]*Portion[X]{}
	}
	for f.err == nil && f.at <= i {
		q := &Portion[X]{}
		if n := len(f.spare); n > 0 {
			q, f.spare = f.spare[n-1], f.spare[:n-1]
		}
		lo, hi := f.shards.Shard(f.at)
		f.reader.read(q, hi-lo)
		f.err = q.err
		if f.shards.Wanted(f.at) {
			f.waiting[f.at] = q
		} else {
			f.spare = append(f.spare, q)
		}
		f.at++
	}
	q := f.waiting[i]
	if q == nil {
		return f.err
	}
	delete(f.waiting, i)
	*p, *q = *q, *p
	if len(p.lines) > 0 { // only lines are read by one goroutine for another
		p.examples, q.examples = q.examples, p.examples
		p.room, q.room = q.room, p.room
	}
	f.spare = append(f.spare, q)
	return nil
}

// Close ends the reading.
func (f *Feeder[X]) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reader != nil {
		f.reader.close()
	}
}
