package bitext

import (
	"context"
	"iter"

	"example.org/pathsum/internal/inorder"
)

// Map returns the results of do for each line, in the order of the lines. It calls
// do in the given number of goroutines, at least 1; results that are waiting for
// their turn are bounded in number. The first error, of a line or of the reading,
// ends the sequence at its place, and so does a ctx that is done. No goroutine is
// left when the sequence has ended; a read that blocks delays that.
func Map[R any](ctx context.Context, lines iter.Seq2[Line, error], workers int, do func(Line) (R, error)) iter.Seq2[R, error] {
	return inorder.Map(ctx, lines, workers, do)
}
