package beam

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Job specifies the model, the data, and how the pipelines run. The zero value of a
// field below Shards means the default.
type Job struct {
	// Model is the registered name of the kind of model.
	Model string
	// Saved is the saved form of the model.
	Saved []byte
	// Shards are the locations of the data, in the order in which shards are added up.
	Shards []Shard

	// Head assembles E steps (default: the model opened from Saved, with the lines of the
	// first shard, which the driver reads). Its Params are the Params of the Likelihood. It may
	// be a likelihood of all data; it does not visit them here.
	Head em.Divisible
	// Dir is a folder of a filesystem that driver and workers share. It gets a folder for the
	// Likelihood, with its model and, during an E step, with θ and the sums (default: a new
	// local temporary folder).
	Dir string
	// Run runs a pipeline to its end (default Run, the function).
	Run func(context.Context, *sdk.Pipeline) error
	// Block is the number of sums that one element adds up (default 65,536).
	Block int
	// Lanes is the number of parts of a pipeline that visit shards independently. Most
	// engines distribute shards themselves, but the prism runner uses one processor per part
	// (default: GOMAXPROCS if Run is not set and the runner is prism, or else 1).
	Lanes int
	// Tries bounds the number of times that a worker tries a shard (default 3), and Attempts
	// the number of times that the driver tries an E step (default 3). An engine may retry, too.
	// Errors that are due to model and data, such as a sum that diverges, are final.
	Tries, Attempts int
	// Keep is the number of shards whose likelihoods a worker process keeps from one E
	// step to the next (default 64; negative: 0).
	Keep int
}

// Likelihood is the likelihood of data in files. Its E steps are pipelines: other processes
// visit the shards. It is an em.Excluder; excluding examples works if the model supports it.
type Likelihood struct {
	job    Job
	head   em.Divisible
	step   step
	dir    string
	steps  int
	ownDir bool // Dir is temporary
}

// New returns the likelihood of a job's data, and writes the model and the list of shards to
// Dir. Close removes them. The error wraps em.ErrInvalid for an invalid job. Errors of opening
// the model, reading its first shard, or writing are also returned.
func New(ctx context.Context, j Job) (*Likelihood, error) {
	nonnil.Check("beam: New", "context", ctx)
	if err := j.complete(); err != nil {
		return nil, err
	}
	l := &Likelihood{job: j, head: j.Head}
	if l.head == nil {
		m, err := open(j.Model, bytes.NewReader(j.Saved))
		if err != nil {
			return nil, err
		}
		if l.head, err = m.Shard(ctx, j.Shards[0].Read(ctx)); err != nil {
			return nil, nested.Errorf("beam: shard 0: %w", err)
		}
	}
	if j.Dir == "" {
		dir, err := os.MkdirTemp("", "pathsum-")
		if err != nil {
			return nil, nested.Errorf("beam: %w", err)
		}
		l.job.Dir, l.ownDir = dir, true
	}
	l.dir = join(l.job.Dir, "pathsum-"+unique())
	l.step = step{Kind: j.Model, Model: join(l.dir, "model"), Manifest: join(l.dir, "shards"), Tries: j.Tries, Keep: max(0, j.Keep)}
	err := writeFile(ctx, l.step.Model, j.Saved)
	if err == nil {
		err = writeGob(ctx, l.step.Manifest, j.Shards)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// complete sets the defaults, or returns an error for an invalid job.
func (j *Job) complete() error {
	bad := func(format string, args ...any) error {
		return nested.Errorf("beam: %w: "+format, append([]any{em.ErrInvalid}, args...)...)
	}
	switch {
	case len(j.Shards) == 0:
		return bad("a job without shards")
	case j.Block < 0 || j.Lanes < 0 || j.Tries < 0 || j.Attempts < 0:
		return bad("blocks of %d, %d lanes, %d tries, %d attempts", j.Block, j.Lanes, j.Tries, j.Attempts)
	}
	for i, s := range j.Shards {
		switch {
		case i == 0 && s.First != 0:
			return bad("shard 0 begins with example %d, want 0", s.First)
		case i > 0 && s.First < j.Shards[i-1].First:
			return bad("shard %d begins with example %d, before the shard before it", i, s.First)
		}
		for _, r := range s.Lines {
			if r.First < 1 || r.Lines < 0 || r.Offset < 0 || r.At < 0 || r.At > r.First || r.Offset > 0 && compressed(r.File) {
				return bad("shard %d: lines %+v", i, r)
			}
		}
	}
	if j.Run == nil {
		j.Run = Run
		if j.Lanes == 0 && Runner() == Prism {
			j.Lanes = runtime.GOMAXPROCS(0)
		}
	}
	j.Block = cmp.Or(j.Block, 1<<16)
	j.Lanes = cmp.Or(j.Lanes, 1)
	j.Tries = cmp.Or(j.Tries, 3)
	j.Attempts = cmp.Or(j.Attempts, 3)
	j.Keep = cmp.Or(j.Keep, 64)
	return nil
}

// Close removes the files of the Likelihood, which must not be used afterwards.
func (l *Likelihood) Close() {
	ctx := context.Background()
	removeFiles(ctx, join(l.dir, "*"))
	removeFiles(ctx, l.dir)
	if l.ownDir {
		os.RemoveAll(l.job.Dir)
	}
}

// Params returns the parameters of the head.
func (l *Likelihood) Params() *em.Params { return l.head.Params() }

// Shards returns the number of shards.
func (l *Likelihood) Shards() int { return len(l.job.Shards) }

// Heuristic reports whether the head is heuristic.
func (l *Likelihood) Heuristic() bool {
	h, ok := l.head.(em.Heuristic)
	return ok && h.Heuristic()
}

// Fingerprint writes the saved model and the locations of the data. It assumes that files do not
// change.
func (l *Likelihood) Fingerprint(w io.Writer) {
	fmt.Fprintf(w, "beam %q %x\n", l.job.Model, sha256.Sum256(l.job.Saved))
	// The text of JSON, unlike that of gob, is the same in every process.
	json.NewEncoder(w).Encode(l.job.Shards)
}

// Expect makes an E step by a pipeline.
func (l *Likelihood) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	return l.ExpectWithout(ctx, q, nil)
}

// ExpectWithout leaves out some examples. It returns an error if the model does not support this.
func (l *Likelihood) ExpectWithout(ctx context.Context, q em.Query, without []em.Skipped) (*em.Expectations, error) {
	nonnil.Check("beam: Expect", "context", ctx)
	q.Hi = cmp.Or(q.Hi, l.Shards())
	if q.Lo < 0 || q.Hi > l.Shards() || q.Lo > q.Hi {
		return nil, nested.Errorf("beam: %w: shards %d to %d of %d", em.ErrInvalid, q.Lo, q.Hi, l.Shards())
	}
	return l.head.Assemble(ctx, q, without, func(sums expr.Dual, e *em.Expectations) error {
		return l.sum(ctx, q, without, sums, e)
	})
}

// sum computes the sums over the shards of q.
func (l *Likelihood) sum(ctx context.Context, q em.Query, without []em.Skipped, sums expr.Dual, e *em.Expectations) error {
	l.steps++
	s := l.step
	s.Query = join(l.dir, fmt.Sprintf("step-%d", l.steps))
	wire := &query{EStep: q.EStep, Temperature: q.Temperature, Weight: cmp.Or(q.Weight, 1), Bounds: q.Bounds, theta: q.Theta, tangent: q.Tangent,
		Second: q.Tangent != nil, Without: without, Size: len(sums.Value), Block: l.job.Block}
	defer removeFiles(context.WithoutCancel(ctx), s.Query+"*")
	if err := wire.write(ctx, s.Query, sums); err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.Out = fmt.Sprintf("%s-%d", s.Query, attempt)
		err := l.job.Run(ctx, s.pipeline(q.Lo, q.Hi, min(l.job.Lanes, max(1, q.Hi-q.Lo))))
		if err == nil {
			if err = l.collect(ctx, s.Out, wire, q, sums, e); !missing(err) {
				return err
			}
		}
		if ctx.Err() != nil {
			return nested.Errorf("beam: %w", ctx.Err())
		}
		if attempt >= l.job.Attempts {
			return nested.Errorf("beam: an E step has failed %d times: %w", attempt, err)
		}
		log.Warnf(ctx, "pathsum: E step %d, attempt %d: %v", l.steps, attempt, err)
	}
}

// write writes the query, and the blocks of sums whose initial values are not all 0.
func (q *query) write(ctx context.Context, file string, sums expr.Dual) error {
	for block := 0; block*q.Block < q.Size; block++ {
		lo, hi, _ := q.bounds(block)
		base := slices.Clone(sums.Value[lo:hi])
		if q.Second {
			base = append(base, sums.Change[lo:hi]...)
		}
		if !slices.ContainsFunc(base, func(x float64) bool { return x != 0 }) {
			continue
		}
		q.Based = append(q.Based, block)
		if err := writeFile(ctx, baseFile(file, block), appendFloats(nil, base)); err != nil {
			return err
		}
	}
	b, err := q.encode()
	if err != nil {
		return err
	}
	return writeFile(ctx, file, b)
}

// collect reads the results of a pipeline.
func (l *Likelihood) collect(ctx context.Context, out string, wire *query, q em.Query, sums expr.Dual, e *em.Expectations) error {
	var all []report
	if q.Lo < q.Hi {
		if err := readGob(ctx, reportsFile(out), &all); err != nil {
			return err
		}
	}
	if len(all) != q.Hi-q.Lo {
		return nested.Errorf("beam: %d shards were visited, want %d", len(all), q.Hi-q.Lo)
	}
	layout, contributors := l.head.Layout(), map[int]int{}
	for i, r := range all {
		switch {
		case r.Shard != q.Lo+i:
			return nested.Errorf("beam: shard %d was visited, want %d", r.Shard, q.Lo+i)
		case r.Failure != nil:
			return r.Failure
		case l.overlaps(&r):
			return l.errFirst(&r)
		case len(r.Tallies) > 0 && r.Layout != layout:
			return nested.Errorf("beam: %w: shard %d counts %s, the head %s: a model must make all its weights as it is opened",
				em.ErrInvalid, r.Shard, r.Layout, layout)
		}
	}
	for _, r := range all {
		for _, t := range r.Tallies {
			t.AddTotals(e, l.job.Shards[r.Shard].First)
		}
		for _, block := range r.Blocks {
			contributors[block]++
		}
	}
	for block, shards := range contributors {
		if err := wire.collect(ctx, blockFile(out, block), block, shards, sums); err != nil {
			return err
		}
	}
	return nil
}

// examples returns the number of examples of a shard.
func (r *report) examples() int {
	n := 0
	for _, t := range r.Tallies {
		n += t.Examples
	}
	return n
}

// overlaps reports whether the number of examples of a shard disagrees with the First of the next
// shard, so that indices of examples would be wrong. A shard may have fewer examples than lines.
func (l *Likelihood) overlaps(r *report) bool {
	if r.Shard+1 == l.Shards() {
		return false
	}
	s, lines := l.job.Shards[r.Shard], 0
	for _, part := range s.Lines {
		if part.Lines == 0 {
			lines = -1
			break
		}
		lines += part.Lines
	}
	room := l.job.Shards[r.Shard+1].First - s.First
	return r.examples() > room || r.examples() < room && room != lines
}

func (l *Likelihood) errFirst(r *report) error {
	return nested.Errorf("beam: %w: shard %d has %d examples from number %d on, but shard %d begins with number %d: set its First to the number of examples before it",
		em.ErrInvalid, r.Shard, r.examples(), l.job.Shards[r.Shard].First, r.Shard+1, l.job.Shards[r.Shard+1].First)
}

// collect reads the sums of a block to which the given number of shards contributed.
func (q *query) collect(ctx context.Context, file string, block, shards int, sums expr.Dual) error {
	var found blockSums
	if err := readGob(ctx, file, &found); err != nil {
		return err
	}
	lo, hi, err := q.bounds(block)
	if err != nil {
		return err
	}
	n := hi - lo
	if q.Second {
		n *= 2
	}
	if len(found.Sums) != n || found.Shards != shards {
		return nested.Errorf("beam: block %d has %d numbers of %d shards, want %d of %d", block, len(found.Sums), found.Shards, n, shards)
	}
	copy(sums.Value[lo:hi], found.Sums)
	if q.Second {
		copy(sums.Change[lo:hi], found.Sums[hi-lo:])
	}
	return nil
}

// The files of an E step. Their names begin with the name of the query.
func baseFile(query string, block int) string { return fmt.Sprintf("%s.base-%d", query, block) }
func blockFile(out string, block int) string  { return fmt.Sprintf("%s.block-%d", out, block) }
func reportsFile(out string) string           { return out + ".reports" }
