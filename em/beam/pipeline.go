package beam

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"slices"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// The functions of a pipeline. Engines send their exported fields to the workers.
func init() {
	register.DoFn3x1[context.Context, []byte, func(int), error](&enumerate{})
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&visit{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&add{})
	register.Emitter1[int]()
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
	sdk.RegisterType(reflect.TypeFor[step]())
}

// step describes an E step for workers by the names of files.
type step struct {
	Kind     string // the registered kind of the model
	Model    string // its saved form
	Manifest string
	Query    string
	Out      string // the prefix of the files of results
	Tries    int    // at a shard, by one worker
	Keep     int    // likelihoods of shards in a process
}

// reports is the key of the reports on shards; blocks have the keys 0, 1, 2, ….
const reports = -1

// pipeline returns the pipeline of an E step over the shards lo … hi − 1:
//
//	numbers of shards → visit → contributions by block → add in the order of shards → files
//
// If an engine runs a function on one processor, each lane of shards gets its own.
func (s step) pipeline(lo, hi, lanes int) *sdk.Pipeline {
	p := sdk.NewPipeline()
	root := p.Root()
	var found []sdk.PCollection
	for lane := range lanes {
		scope := root.Scope(fmt.Sprintf("lane %d", lane))
		shards := sdk.ParDo(scope, &enumerate{lo + lane, hi, lanes}, sdk.Impulse(scope))
		if lanes == 1 {
			shards = sdk.Reshuffle(scope, shards)
		}
		found = append(found, sdk.ParDo(scope, &visit{s}, shards))
	}
	all := found[0]
	if lanes > 1 {
		all = sdk.Flatten(root, found...)
	}
	sdk.ParDo0(root, &add{s}, sdk.GroupByKey(root, all))
	return p
}

// enumerate yields the numbers Lo, Lo + Step, … below Hi.
type enumerate struct{ Lo, Hi, Step int }

// ProcessElement is called by the engine.
func (e *enumerate) ProcessElement(_ context.Context, _ []byte, emit func(int)) error {
	for i := e.Lo; i < e.Hi; i += e.Step {
		emit(i)
	}
	return nil
}

// visit makes the E step of shards.
type visit struct{ Step step }

// ProcessElement is called by the engine. Its output for a shard is the same in every call,
// on any worker. It emits all output at the end.
func (v *visit) ProcessElement(ctx context.Context, shard int, emit func(int, []byte)) error {
	var err error
	for range max(1, v.Step.Tries) {
		var r report
		var found blocks
		if r, found, err = v.try(ctx, shard); err != nil {
			if ctx.Err() != nil {
				return err
			}
			continue
		}
		said, err := toGob(r)
		if err != nil {
			return err
		}
		for _, k := range found.numbers() {
			emit(k, found.of[k])
		}
		emit(reports, said)
		return nil
	}
	if !missing(err) {
		return err
	}
	// The driver reports only this line, without the lines that an engine adds to an error.
	said, err := toGob(report{Shard: shard, Failure: failureOf(err)})
	if err != nil {
		return err
	}
	emit(reports, said)
	return nil
}

// try makes the E step of a shard. It returns an error for a fault of the worker; a verdict is in
// the report.
func (v *visit) try(ctx context.Context, shard int) (r report, found blocks, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = nested.Errorf("beam: shard %d: panic: %v\n%s", shard, x, debug.Stack())
		}
	}()
	r.Shard = shard
	q, err := queryOf(ctx, v.Step.Query)
	if err != nil {
		return r, found, err
	}
	manifest, err := manifestOf(ctx, v.Step.Manifest)
	if err != nil {
		return r, found, err
	}
	if shard < 0 || shard >= len(manifest) {
		return r, found, nested.Errorf("beam: shard %d of %d", shard, len(manifest))
	}
	at := &manifest[shard]
	found = blocks{shard: shard, size: q.Block, second: q.Second, of: map[int]contribution{}}
	p := process.shards.take(v.Step.Model, shard)
	if p == nil {
		p, err = v.part(ctx, at)
	}
	if err == nil {
		next := math.MaxInt
		if shard+1 < len(manifest) {
			next = manifest[shard+1].First
		}
		err = p.Tallies(ctx, q.query(), q.without(at.First, next), func(_ int, t *em.Tally) error {
			found.add(t)
			r.Tallies = append(r.Tallies, t.Totals())
			r.Layout = p.Layout()
			return nil
		})
	}
	if err != nil {
		err = nested.Errorf("beam: shard %d: %w", shard, err)
		if missing(err) {
			return r, found, err
		}
		if r.Failure = failureOf(err); r.Failure != nil {
			return report{Shard: shard, Failure: r.Failure}, blocks{}, nil
		}
		return r, found, err
	}
	r.Blocks = found.numbers()
	process.shards.put(idle{v.Step.Model, shard, p}, v.Step.Keep)
	return r, found, nil
}

// part creates the likelihood of a shard.
func (v *visit) part(ctx context.Context, at *Shard) (em.Divisible, error) {
	m, err := modelOf(ctx, v.Step.Kind, v.Step.Model)
	if err != nil {
		return nil, err
	}
	return m.Shard(ctx, at.Read(ctx))
}

// add adds up the contributions to a block in the order of the shards.
type add struct{ Step step }

// ProcessElement is called by the engine. It writes the same content in every
// call.
func (a *add) ProcessElement(ctx context.Context, key int, values func(*[]byte) bool) error {
	var all [][]byte
	for value := []byte(nil); values(&value); value = nil {
		all = append(all, slices.Clone(value))
	}
	if key == reports {
		return a.reports(ctx, all)
	}
	return a.block(ctx, key, all)
}

// reports writes the reports of all shards.
func (a *add) reports(ctx context.Context, values [][]byte) error {
	all := make([]report, 0, len(values))
	for _, value := range values {
		var r report
		if err := fromGob(value, &r); err != nil {
			return err
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(x, y report) int { return x.Shard - y.Shard })
	all = slices.CompactFunc(all, func(x, y report) bool { return x.Shard == y.Shard })
	return writeGob(ctx, reportsFile(a.Step.Out), all)
}

// block writes the sums of a block.
func (a *add) block(ctx context.Context, block int, values [][]byte) error {
	q, err := queryOf(ctx, a.Step.Query)
	if err != nil {
		return err
	}
	sums, err := q.base(ctx, a.Step.Query, block)
	if err != nil {
		return err
	}
	shards, err := q.add(sums, values)
	if err != nil {
		return err
	}
	return writeGob(ctx, blockFile(a.Step.Out, block), blockSums{sums, shards})
}

// blockSums is the content of a block's file: the sums, followed by their derivatives if there
// are any, and the number of shards that contributed.
type blockSums struct {
	Sums   []float64
	Shards int
}

// base returns the initial values of the sums of a block.
func (q *query) base(ctx context.Context, file string, block int) ([]float64, error) {
	lo, hi, err := q.bounds(block)
	if err != nil {
		return nil, err
	}
	n := hi - lo
	if q.Second {
		n *= 2
	}
	if !slices.Contains(q.Based, block) {
		return make([]float64, n), nil
	}
	b, err := readFile(ctx, baseFile(file, block))
	if err != nil {
		return nil, err
	}
	if len(b) != 8*n {
		return nil, nested.Errorf("beam: %s has %d bytes, want %d", baseFile(file, block), len(b), 8*n)
	}
	return floats(b), nil
}

// add adds contributions to sums in the order of the shards, each shard once, and returns the
// number of shards. An engine may deliver a contribution twice, as it expects
// functions to be idempotent. Both copies must then be equal.
func (q *query) add(sums []float64, values [][]byte) (shards int, err error) {
	type part struct {
		shard int
		runs  []byte
	}
	parts := make([]part, len(values))
	for i, value := range values {
		p := &parts[i]
		if p.shard, p.runs, err = contribution(value).shard(); err != nil {
			return 0, err
		}
	}
	slices.SortStableFunc(parts, func(x, y part) int { return x.shard - y.shard })
	value, change := sums, []float64(nil)
	if q.Second {
		value, change = sums[:len(sums)/2], sums[len(sums)/2:]
	}
	for i, p := range parts {
		if i > 0 && p.shard == parts[i-1].shard {
			if !bytes.Equal(p.runs, parts[i-1].runs) {
				return 0, nested.Errorf("beam: a shard was visited twice and did not count the same")
			}
			continue
		}
		shards++
		if err := addRuns(p.runs, q.Weight, value, change); err != nil {
			return 0, err
		}
	}
	return shards, nil
}
