package merge_test

import (
	"context"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/em/merge"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// A setting that makes and drops a machine without a value does not change the search.
func TestUnused(t *testing.T) {
	tree, err := merge.Tree([][]int32{{1, 1, 1}, {1, 1}, {1}, {1, 1, 1, 1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	var data cascade.Data
	for _, s := range [][]int32{{1, 1, 1}, {1, 1}, {1}, {1, 1, 1, 1, 2}} {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(s...)})
	}
	var want *merge.Result
	for _, dropped := range []bool{false, true} {
		alone := merge.SingleStage(data)
		setting := func(params *em.Params, stage cascade.Stage) (cascade.Problem, cascade.Data, error) {
			if dropped {
				space := params.Space()
				big := space.Plus(space.Const(semiring.NewScaled(2)), space.Param(0))
				loop := fst.OneState(space, expr.One, fst.Arc[expr.W]{In: 1, Out: 1, Weight: big})
				if _, err := fst.Expand(cascade.Normalize(loop), nil); err != nil {
					return cascade.Problem{}, data, err
				}
			}
			return alone(params, stage)
		}
		got, err := merge.Run(context.Background(), tree, setting, nil)
		if err != nil {
			t.Fatalf("dropped %v: %v", dropped, err)
		}
		if !dropped {
			want = got
		} else if !slices.Equal(got.Posterior, want.Posterior) || got.Counts.NumStates() != want.Counts.NumStates() {
			t.Errorf("%g of %d states, want %g of %d", got.Posterior, got.Counts.NumStates(), want.Posterior, want.Counts.NumStates())
		}
	}
}
