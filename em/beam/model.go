package beam

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/nested"
)

// Model is the interface that a model implements to be trained on a
// cluster; workers make E steps with it. A process opens it once, from its saved form, and several
// goroutines create shards of it at once.
//
// The tallies of all shards must have the same layout (em.Divisible.Layout). A model
// whose weights are expressions therefore creates all of them when it is opened, not per shard.
type Model interface {
	// Shard returns the likelihood of the examples in the lines of a Shard,
	// its only data. To get the bits of a run in one process it must be one
	// shard (cascade.Data.ShardSize); several shards are added in order. It is
	// used by one goroutine. Shard returns an equal likelihood each time.
	Shard(ctx context.Context, lines iter.Seq2[cascade.Line, error]) (em.Divisible, error)
}

var registry = struct {
	sync.Mutex
	open map[string]func(saved io.Reader) (Model, error)
}{open: map[string]func(saved io.Reader) (Model, error){}}

// Register registers a kind of model under a name; open opens it from the content of Job.Saved.
// Call it in an init function or at the beginning of main, before Init: drivers and workers
// run the same program, and so know the same names. It panics if the name is taken.
func Register(name string, open func(saved io.Reader) (Model, error)) {
	registry.Lock()
	defer registry.Unlock()
	if registry.open[name] != nil {
		panic(fmt.Sprintf("beam: Register: the name %q is taken", name))
	}
	registry.open[name] = open
}

// open opens a model of the registered kind name.
func open(name string, saved io.Reader) (Model, error) {
	registry.Lock()
	f := registry.open[name]
	registry.Unlock()
	if f == nil {
		return nil, nested.Errorf("beam: %w: no kind of model is registered as %q", em.ErrInvalid, name)
	}
	m, err := f(saved)
	if err != nil {
		return nil, nested.Errorf("beam: model %q: %w", name, err)
	}
	return m, nil
}
