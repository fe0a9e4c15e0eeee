// Package beamtest tests custom models for package beam.
package beamtest

import (
	"bytes"
	"context"
	"io"
	"iter"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/likelihoodtest"
)

// Check fails the test unless package beam can train the model that open opens from saved:
//
//   - several processes can open it repeatedly, and it returns equal likelihoods for equal
//     lines;
//   - the tallies of all shards have the same layout, for any first shard of a
//     process;
//   - E steps at theta, assembled from the shards of other copies of the model, have the bits
//     of want, the likelihood in one process with the same shards.
//
// Each shard is the text of its lines. Check needs no pipeline, and takes a few E steps.
func Check(tb testing.TB, open func(saved io.Reader) (beam.Model, error), saved []byte, shards [][]string, theta []float64, want em.Likelihood) {
	tb.Helper()
	if want.Shards() != len(shards) {
		tb.Errorf("%d shards of lines, %d of the likelihood in one process", len(shards), want.Shards())
		return
	}
	ctx := context.Background()
	copyOf := func() beam.Model {
		m, err := open(bytes.NewReader(saved))
		if err != nil {
			tb.Fatalf("the saved form does not open: %v", err)
		}
		return m
	}
	shard := func(m beam.Model, i int) em.Divisible {
		l, err := m.Shard(ctx, linesOf(shards[i]))
		if err != nil {
			tb.Fatalf("shard %d: %v", i, err)
		}
		if l.Shards() != 1 {
			tb.Errorf("shard %d is %d shards, want 1", i, l.Shards())
		}
		if n := l.Params().Len(); n != len(theta) {
			tb.Fatalf("shard %d has %d parameters, θ %d", i, n, len(theta))
		}
		return l
	}
	q := em.Query{Theta: theta, Workers: 1}
	whole, err := want.Expect(ctx, q)
	if err != nil {
		tb.Fatalf("an E step in one process: %v", err)
	}
	head := shard(copyOf(), len(shards)-1)
	for _, backward := range []bool{false, true} {
		worker := copyOf() // visits shards in another order
		made := make([]em.Divisible, len(shards))
		for k := range shards {
			i := k
			if backward {
				i = len(shards) - 1 - k
			}
			made[i] = shard(worker, i)
		}
		divided := likelihoodtest.Divided{Head: head, N: len(shards), Shard: func(i int) (em.Divisible, error) { return made[i], nil }}
		got, err := divided.Expect(ctx, q)
		if err != nil {
			tb.Fatalf("an E step by shards: %v; are all weights made as the model is opened?", err)
		}
		if got.LogLikelihood != whole.LogLikelihood || !slices.Equal(got.Counts, whole.Counts) || got.Examples != whole.Examples {
			tb.Errorf("E steps by shards and in one process differ in their bits: log likelihood %v of %d examples, want %v of %d",
				got.LogLikelihood, got.Examples, whole.LogLikelihood, whole.Examples)
		}
	}
}

// linesOf returns lines in the form in which a worker reads them.
func linesOf(texts []string) iter.Seq2[cascade.Line, error] {
	return func(yield func(cascade.Line, error) bool) {
		for i, text := range texts {
			if !yield(cascade.Line{File: "lines", Number: i + 1, Text: text}, nil) {
				return
			}
		}
	}
}
