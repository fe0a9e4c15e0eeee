package channel_test

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// TestLimit: whichever part of a query grows beyond the limit, the error says so.
func TestLimit(t *testing.T) {
	m := branching(t, rand.New(rand.NewPCG(1, 1)))
	small, err := m.Predictor(&channel.PredictorOptions{Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	long := []int32{1, 2, 1, 2, 1, 2, 1, 2}
	for name, q := range map[string]channel.Query{
		"source": {Source: long},
		"target": {Target: long},
		"branch": {Branches: [][]int32{nil, {5, 6, 5, 6, 5, 6}}},
		"first":  {Branches: [][]int32{long, nil}},
	} {
		if _, err := small.LogProb(q); !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("%s: log probability: error %v, want ErrLimit", name, err)
		}
		if _, err := small.Best(q, channel.Source, 1); !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("%s: best: error %v, want ErrLimit", name, err)
		}
	}
	if _, err := small.LogProb(channel.Query{Branches: [][]int32{long}}); !errors.Is(err, channel.ErrInvalid) {
		t.Errorf("one branch of two: error %v, want ErrInvalid", err)
	}
}

// TestEmptyString: as a predictor of nbest, a channel takes nil for the empty string, and
// a canceled context ends it.
func TestEmptyString(t *testing.T) {
	p := em.NewParams()
	m := channel.New(p, spread(t, p, []int32{1, 2}, []int32{1, 2}))
	d, err := m.Predictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Forward().LogProb(nil, []int32{2})
	if want := math.Log(total(t, m, nil, []int32{2})); err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("insertion: %g (%v), want %g", got, err, want)
	}
	for name, p := range map[string]nbest.Predictor{"forward": d.Forward(), "backward": d.Backward()} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := p.Best(ctx, []int32{1}, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want Canceled", name, err)
		}
	}
}

// TestFailedStage: a stage that could not be made is no error of New. Whatever uses the model
// returns the error of the stage, of the cascade or of a branch.
func TestFailedStage(t *testing.T) {
	p := em.NewParams()
	good := spread(t, p, []int32{1, 2}, []int32{1, 2})
	failed := cascade.Conditional(p, "failed", fst.Union(fst.OneState(semiring.Real{}, 1), fst.StringMap(semiring.Real{}, []fst.Path[float64]{{In: []int32{-1}, Weight: 1}})), em.Multinomial{})
	cause := fst.Err(failed)
	if cause == nil {
		t.Fatal("a machine with a negative label is made")
	}
	pair := cascade.Example{X: cascade.Labels(1), Y: cascade.Labels(1)}
	branched := pair
	branched.Branches = []cascade.Side{cascade.Labels(1)}
	for name, x := range map[string]struct {
		model   *channel.Model
		example cascade.Example
		where   string
	}{
		"cascade": {channel.New(p, good, failed), pair, "1"},
		"branch":  {channel.NewBranching(p, []cascade.Stage{good}, []cascade.Stage{failed}), branched, "0"},
	} {
		data := cascade.Data{Examples: []cascade.Example{x.example}}
		_, fit := x.model.Fit(context.Background(), data, nil)
		_, conditional := x.model.FitConditional(context.Background(), data, nil)
		_, predictor := x.model.Predictor(nil)
		for use, err := range map[string]error{"Fit": fit, "FitConditional": conditional, "Predictor": predictor, "Save": x.model.Save(io.Discard)} {
			if !errors.Is(err, cause) || !strings.Contains(err.Error(), "machine "+x.where) && !strings.Contains(err.Error(), "stage "+x.where) {
				t.Errorf("%s, %s: error %v, want that of the stage, %v, and its number", name, use, err, cause)
			}
		}
	}
}
