package graph_test

import (
	"errors"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

func TestSetStayRefuses(t *testing.T) {
	square, wide := newBlock(t, semiring.Real{}, 1, 1, 1.), newBlock(t, semiring.Real{}, 1, 2, 1., 1.)
	tr, err := graph.NewTrellis(semiring.Real{}, []float64{1}, []*graph.Block[float64]{square, wide}, []int32{0, 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, stay := range [][]float64{{}, {1}, {1, 1}, {1, 0, 0}} {
		if err := tr.SetStay(stay); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("stays %v: error %v, want semiring.ErrShape", stay, err)
		}
	}
	if err := tr.SetStay([]float64{.5, 0}); err != nil {
		t.Fatal(err)
	}
	s := new(graph.TrellisScratch[float64])
	if got := tr.PathSum(s); got != 3 {
		t.Errorf("path sum %v, want 3", got)
	}
	p, err := tr.Posteriors(s)
	if err != nil || len(p.Stay) != 2 || !near(p.Stay[0], 1./3) || p.Stay[1] != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}
