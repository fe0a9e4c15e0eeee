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

// Model is what a worker makes E steps with: all that a model must offer to be trained on a
// cluster. A process opens it once, from its saved form, and makes shards of it by several
// goroutines at once.
//
// The tallies of all shards must be about the same numbers (em.Divisible.Layout). A model
// whose weights are expressions therefore makes all of them as it is opened, not for a shard.
type Model interface {
	// Shard returns the likelihood of the examples in some lines of text, those of a Shard,
	// which are all that it has of the data. For the bits of a run in one process it is one
	// shard (cascade.Data.ShardSize); if it has several they are added in their order. It is
	// used by one goroutine. It returns an equal likelihood each time.
	Shard(ctx context.Context, lines iter.Seq2[cascade.Line, error]) (em.Divisible, error)
}

var registry = struct {
	sync.Mutex
	open map[string]func(saved io.Reader) (Model, error)
}{open: map[string]func(saved io.Reader) (Model, error){}}

// Register gives a name to a kind of model, which open opens from what Job.Saved holds. It is
// called by an init function or at the beginning of main, before Init: drivers and workers
// run the same program, and so know the same names. It panics if the name is taken.
func Register(name string, open func(saved io.Reader) (Model, error)) {
	registry.Lock()
	defer registry.Unlock()
	if registry.open[name] != nil {
		panic(fmt.Sprintf("beam: Register: the name %q is taken", name))
	}
	registry.open[name] = open
}

// open opens a model of the kind called name.
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
