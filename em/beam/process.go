package beam

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"example.org/pathsum/em"
)

// process is the state that all workers in a process keep from one element to the next, and
// from one E step to the next: an engine creates new functions for each bundle of elements.
var process struct {
	models    cache[Model]
	manifests cache[[]Shard]
	queries   cache[*query]
	shards    pool
}

// The caches are small, as a process works for a few runs at most, in sequence or at once.
const (
	modelsKept  = 4
	queriesKept = 4
)

// modelOf returns the model in a file, which is opened at the first call.
func modelOf(ctx context.Context, kind, file string) (Model, error) {
	return process.models.get(file, modelsKept, func() (Model, error) {
		saved, err := readFile(ctx, file)
		if err != nil {
			return nil, err
		}
		return open(kind, bytes.NewReader(saved))
	})
}

// manifestOf returns all shards of a run.
func manifestOf(ctx context.Context, file string) ([]Shard, error) {
	return process.manifests.get(file, modelsKept, func() ([]Shard, error) {
		var shards []Shard
		return shards, readGob(ctx, file, &shards)
	})
}

// queryOf returns the query of an E step.
func queryOf(ctx context.Context, file string) (*query, error) {
	return process.queries.get(file, queriesKept, func() (*query, error) {
		b, err := readFile(ctx, file)
		if err != nil {
			return nil, err
		}
		q, err := decodeQuery(b)
		if err != nil {
			return nil, fmt.Errorf("%w in %s", err, file)
		}
		return q, nil
	})
}

// cache keeps the most recently created values, by key. A value is created once, even if several
// goroutines request it; after an error it is created again.
type cache[T any] struct {
	mu    sync.Mutex
	keys  []string // the oldest first
	known map[string]*made[T]
}

type made[T any] struct {
	once  sync.Once
	value T
	err   error
}

func (c *cache[T]) get(key string, most int, make func() (T, error)) (T, error) {
	c.mu.Lock()
	m := c.known[key]
	if m == nil {
		if c.known == nil {
			c.known = map[string]*made[T]{}
		}
		m = new(made[T])
		c.known[key], c.keys = m, append(c.keys, key)
		if len(c.keys) > most {
			delete(c.known, c.keys[0])
			c.keys = c.keys[1:]
		}
	}
	c.mu.Unlock()
	m.once.Do(func() { m.value, m.err = make() })
	if m.err != nil {
		c.forget(key, m)
	}
	return m.value, m.err
}

// forget drops m, unless it has been replaced.
func (c *cache[T]) forget(key string, m *made[T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[key] != m {
		return
	}
	delete(c.known, key)
	for i, k := range c.keys {
		if k == key {
			c.keys = append(c.keys[:i], c.keys[i+1:]...)
			return
		}
	}
}

// pool keeps idle likelihoods of shards.
type pool struct {
	mu   sync.Mutex
	idle []idle // the oldest first
}

// idle is a likelihood with its key: the model's file and the index of the shard.
type idle struct {
	model string
	shard int
	part  em.Divisible
}

// take returns the likelihood of a shard and removes it from the pool. It returns nil if the pool
// does not contain it.
func (p *pool) take(model string, shard int) em.Divisible {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, x := range p.idle {
		if x.model == model && x.shard == shard {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			return x.part
		}
	}
	return nil
}

// put adds a likelihood to the pool, and removes the oldest ones above most.
func (p *pool) put(x idle, most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, x)
	if over := len(p.idle) - most; over > 0 {
		clear(p.idle[:over])
		p.idle = p.idle[over:]
	}
}
