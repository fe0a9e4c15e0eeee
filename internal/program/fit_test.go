package program

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/pathsum/em"
)

// The results of training are in the JSON object, and its first problems are named.
func TestFitted(t *testing.T) {
	fit := &em.Result{Objective: []float64{-3, -2.5}, Status: em.Converged}
	for i := range mostNamed + 2 {
		fit.Skipped = append(fit.Skipped, em.Skipped{Name: fmt.Sprint("line ", i)})
	}
	got := execute(t.Context(), func(_ context.Context, r *Run) error {
		r.Fitted(fit)
		WriteObjective(r.Out, "log likelihood", fit.Objective)
		return nil
	}, "-json")
	for _, want := range []string{`"iterations":2`, `"objective":[-3,-2.5]`, `"status":"converged"`, `"skipped":7`, "1           -3.0000", "log likelihood (nats)"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in %q", want, got.out)
		}
	}
	if n := strings.Count(got.stderr, "no derivation: line"); n != mostNamed || !strings.Contains(got.stderr, "and 2 more") {
		t.Errorf("%d are named in %q", n, got.stderr)
	}
}

func TestObserve(t *testing.T) {
	got := execute(t.Context(), func(_ context.Context, r *Run) error {
		p := r.Progress("training", 2)
		p.Observe(em.Event{Objective: -1.5, Elapsed: 2 * time.Second})
		p.Observe(em.Event{Start: 3, Objective: -1.25})
		p.Done()
		return nil
	})
	if want := "training 2/2 in 0.0 s: start 3, objective -1.250 after 0.0 s\n"; got.stderr != want {
		t.Errorf("%q, want %q", got.stderr, want)
	}
}

// Remarks are written once, after the progress or with the result.
func TestRemarks(t *testing.T) {
	got := execute(t.Context(), func(_ context.Context, r *Run) error {
		for range 2 {
			p := r.Progress("training", 2)
			p.Observe(em.Event{Objective: -1, Remarks: []string{"the first", "100 % odd"}})
			p.Observe(em.Event{Objective: -1})
			p.Done()
		}
		r.Fitted(&em.Result{Remarks: []string{"the first", "the last"}})
		return nil
	}, "-quiet")
	lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
	if len(lines) != 3 {
		t.Fatalf("%q, want three lines", got.stderr)
	}
	for i, want := range []string{"the first", "100 % odd", "the last"} {
		if !strings.HasSuffix(lines[i], ": "+want) {
			t.Errorf("line %d is %q, want one about %s", i, lines[i], want)
		}
	}
}

func TestHoldOut(t *testing.T) {
	rest, held := HoldOut([]int{1, 2, 3, 4, 5, 6, 7}, 3)
	if !slices.Equal(rest, []int{1, 2, 4, 5, 7}) || !slices.Equal(held, []int{3, 6}) {
		t.Errorf("%v and %v", rest, held)
	}
	if rest, held := HoldOut([]int(nil), 3); rest != nil || held != nil {
		t.Errorf("%v and %v of nothing", rest, held)
	}
}

// With -apply, standard output has only the answers.
func TestApplyAlone(t *testing.T) {
	p := New("fake", "")
	p.Apply("")
	p.Output("")
	var out, errs bytes.Buffer
	p.Do(func(ctx context.Context, r *Run) error {
		fmt.Fprintln(r.Out, "three models")
		return r.Stream(ctx, Stream{Bare: true,
			Answer: func(context.Context, string) ([]string, error) { return []string{"yes"}, nil }})
	})
	status := p.Execute(t.Context(), []string{"-apply", "fit_test.go"}, &out, &errs)
	if status != 0 || strings.Trim(out.String(), "yes\n") != "" || out.Len() == 0 || errs.String() != "three models\n" {
		t.Errorf("status %d, %.100q and %.100q", status, out.String(), errs.String())
	}
}
