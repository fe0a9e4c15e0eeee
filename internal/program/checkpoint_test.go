package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
)

func TestBeside(t *testing.T) {
	for _, x := range []struct {
		name  string
		parts []any
		want  string
	}{
		{"", []any{"a", 1}, ""},
		{"state", nil, "state"},
		{"state", []any{"", 0}, "state"},
		{"state", []any{"0"}, "state.0"},
		{"state", []any{"nfd", 0, "classes", 2}, "state.nfd.classes.2"},
	} {
		if got := beside(x.name, x.parts...); got != x.want {
			t.Errorf("%q %v: %q, want %q", x.name, x.parts, got, x.want)
		}
	}
}

// stages is a program that trains in two stages, with a history of the second. It stops before
// the state of an iteration of the second stage is written, or after all.
func stages(ctx context.Context, r *Run, stop int) error {
	p := r.Progress("training", 4)
	defer p.Done()
	for _, stage := range []string{"first", ""} {
		file := r.Checkpoint(stage)
		h, err := NewHistory(file)
		if err != nil {
			return err
		}
		for i := range 2 {
			p.Observe(em.Event{Iteration: i, Start: 1})
			if stage == "" && i == stop {
				return errors.New("no memory")
			}
			if file == "" {
				continue
			}
			if err := historyFormat.Save(file, "state", i); err != nil { // replaces it as em does
				return err
			}
			if stage == "" {
				if err := h.Note(i, -1); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
}

// Checkpoints and their histories are removed when the work is finished, and not before.
func TestCheckpointsEnd(t *testing.T) {
	for _, x := range []struct {
		name   string
		cancel bool
		stop   int
		status int
		left   []string
		told   string
	}{
		{"done", false, 2, 0, []string{"other"}, ""},
		{"failed", false, 1, 1, []string{"other", "state", "state.first", "state.history"}, "fake: no memory\n"},
		{"interrupted", true, 2, 130, []string{"other", "state", "state.first", "state.history"}, "state keeps the training up to start 1, iteration 2; the same command goes on from there\n"},
	} {
		t.Run(x.name, func(t *testing.T) {
			folder := t.TempDir()
			t.Chdir(folder)
			if err := os.WriteFile("other", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			got := execute(ctx, func(ctx context.Context, r *Run) error {
				if x.cancel {
					cancel()
				}
				return stages(ctx, r, x.stop)
			}, "-quiet", "-checkpoint", "state")
			if got.status != x.status || !strings.HasSuffix(got.stderr, x.told) {
				t.Errorf("%+v", got)
			}
			left, err := filepath.Glob("*")
			if err != nil || !slices.Equal(left, x.left) {
				t.Errorf("%v is left, %v, want %v", left, err, x.left)
			}
		})
	}
}

// The report of an interrupt omits an iteration whose state was not written.
func TestInterruptedBeforeSaving(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got := execute(ctx, func(ctx context.Context, r *Run) error {
		if err := os.WriteFile(r.Checkpoint(), nil, 0o600); err != nil {
			return err
		}
		r.Progress("training", 2).Observe(em.Event{})
		cancel()
		return ctx.Err()
	}, "-quiet", "-checkpoint", "state")
	if want := "fake: interrupted: -checkpoint state keeps the training as far as it has come; the same command goes on from there\n"; got.stderr != want {
		t.Errorf("%+v", got)
	}
}

// An unrelated file with the name of a file next to a checkpoint is kept.
func TestOtherFileBesideACheckpoint(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("state.squared", []byte("pathsum phylo 2: a model\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := execute(t.Context(), func(ctx context.Context, r *Run) error {
		r.Checkpoint("squared")
		return stages(ctx, r, 2)
	}, "-checkpoint", "state")
	if left, err := filepath.Glob("*"); got.status != 0 || !slices.Equal(left, []string{"state.squared"}) || err != nil {
		t.Errorf("%+v, %v is left, %v", got, left, err)
	}
}

// For a link, both it and its target are removed.
func TestCheckpointBehindALink(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("behind", "state"); err != nil {
		t.Skip("no links: ", err)
	}
	got := execute(t.Context(), func(ctx context.Context, r *Run) error { return stages(ctx, r, 2) }, "-checkpoint", "state")
	if left, err := filepath.Glob("*"); got.status != 0 || len(left) > 0 || err != nil {
		t.Errorf("%+v, %v is left, %v", got, left, err)
	}
}

// The user gets one message about the iteration limit.
func TestIterationLimit(t *testing.T) {
	run := func(_ context.Context, r *Run) error {
		for range 2 {
			r.Fitted(&em.Result{Objective: []float64{-3, -2}, Status: em.IterationLimit})
		}
		return nil
	}
	want := "fake: training ended at the iteration limit, after iteration 2; -iterations sets it\n"
	if got := execute(t.Context(), run); got.status != 0 || got.stderr != want {
		t.Errorf("%+v, want %q", got, want)
	}
	if got := execute(t.Context(), run, "-quiet"); got.stderr != "" {
		t.Errorf("quiet: %q", got.stderr)
	}
}
