package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// result has the outputs and the status of a run.
type result struct {
	status      int
	out, stderr string
}

// execute runs a program called fake that has every flag, and a clock that stands still.
func execute(ctx context.Context, run func(context.Context, *Run) error, args ...string) result {
	return executeOutput(ctx, func(ctx context.Context, r *Run, _ *Output) error { return run(ctx, r) }, args...)
}

// executeOutput is like execute, for a program that gets its output.
func executeOutput(ctx context.Context, run func(context.Context, *Run, *Output) error, args ...string) result {
	p := New("fake", "fake does nothing.")
	p.Clock = func() time.Time { return time.Time{} }
	p.Data("a line")
	p.Test("A line.")
	p.Iterations(20)
	p.Restarts(0)
	p.Seed()
	p.Workers()
	p.Checkpoint()
	p.Plot("nothing")
	p.Figure("curve", "nothing")
	p.Choice("kind", "what kind", "a", "b")
	p.Apply("a line")
	o := p.Output("a line")
	p.Save("save", "write the model to `FILE`")
	order := p.Flags.Int("order", 3, "order of the model")
	p.Check(func() error {
		if *order%2 == 0 {
			return fmt.Errorf("-order %d: want an odd number", *order)
		}
		return nil
	})
	var out, stderr bytes.Buffer
	p.Do(func(ctx context.Context, r *Run) error { return run(ctx, r, o) })
	status := p.Execute(ctx, args, &out, &stderr)
	return result{status, out.String(), stderr.String()}
}

func nothing(context.Context, *Run) error { return nil }

// object returns the members of the JSON object in the last line of text.
func object(t *testing.T, text string) (keys []string, values map[string]any) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	last := lines[len(lines)-1]
	if err := json.Unmarshal([]byte(last), &values); err != nil {
		t.Fatalf("last line %q: %v", last, err)
	}
	d := json.NewDecoder(strings.NewReader(last))
	for depth := 0; ; {
		token, err := d.Token()
		if err == io.EOF {
			return keys, values
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		default:
			if key, ok := token.(string); ok && depth == 1 && values[key] != nil {
				keys = append(keys, key)
				var skip json.RawMessage
				if err := d.Decode(&skip); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

var commonKeys = []string{"program", "seconds", "cpu_seconds", "peak_rss_mb", "workers", "seed", "iterations", "objective", "status", "skipped", "lines_skipped"}

func TestReport(t *testing.T) {
	type scores struct {
		Top1 float64 `json:"top1"`
		CER  float64 `json:"cer"`
	}
	run := func(ctx context.Context, r *Run) error {
		fmt.Fprintln(r.Out, "accuracy 0.5")
		r.Trained(Training{Iterations: 2, Objective: []float64{-12.5, math.Inf(-1)}, Status: "converged", Skipped: 3})
		r.Set("pairs", 1)
		r.Set("forward", map[string]scores{"before": {0.25, math.NaN()}, "after": {0.5, 1.5}})
		r.Set("pairs", 7)
		return nil
	}
	got := execute(t.Context(), run, "-json", "-seed", "5", "-workers", "2")
	if got.status != 0 || got.stderr != "" || !strings.HasPrefix(got.out, "accuracy 0.5\n{") {
		t.Fatalf("%+v", got)
	}
	keys, values := object(t, got.out)
	if d := cmp.Diff(append(slices.Clone(commonKeys), "pairs", "forward"), keys); d != "" {
		t.Errorf("keys: %s", d)
	}
	for _, key := range []string{"seconds", "cpu_seconds", "peak_rss_mb"} {
		if x, ok := values[key].(float64); !ok || !(x > 0) || x > 1e5 {
			t.Errorf("%s is %v", key, values[key])
		}
		delete(values, key)
	}
	want := map[string]any{
		"program": "fake", "workers": 2.0, "seed": 5.0, "iterations": 2.0,
		"objective": []any{-12.5, nil}, "status": "converged", "skipped": 3.0, "lines_skipped": 0.0, "pairs": 7.0,
		"forward": map[string]any{
			"before": map[string]any{"top1": 0.25, "cer": nil},
			"after":  map[string]any{"top1": 0.5, "cer": 1.5},
		},
	}
	if d := cmp.Diff(want, values); d != "" {
		t.Error(d)
	}
}

func TestReportOfNothing(t *testing.T) {
	p := New("small", "small has no flags of its own.")
	var out, stderr bytes.Buffer
	p.Do(nothing)
	if status := p.Execute(t.Context(), []string{"-json"}, &out, &stderr); status != 0 {
		t.Fatal(status, stderr.String())
	}
	_, values := object(t, out.String())
	for key, want := range map[string]any{"workers": 1.0, "seed": 0.0, "iterations": 0.0, "status": "done", "skipped": 0.0} {
		if values[key] != want {
			t.Errorf("%s is %v, want %v", key, values[key], want)
		}
	}
	if d := cmp.Diff([]any{}, values["objective"]); d != "" {
		t.Error(d)
	}
}

func TestSetOfACommonKeyPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	execute(t.Context(), func(_ context.Context, r *Run) error { r.Set("seed", 1); return nil })
}

func TestStatus(t *testing.T) {
	broken := errors.New("data.tsv:3: no tab")
	tests := []struct {
		name   string
		args   []string
		run    func(context.Context, *Run) error
		status int
		stderr string
	}{
		{"done", nil, nothing, 0, ""},
		{"failed", []string{"-json"}, func(context.Context, *Run) error { return broken }, 1, "fake: data.tsv:3: no tab\n"},
		{"several errors", nil, func(context.Context, *Run) error { return errors.Join(broken, broken) }, 1, "fake: data.tsv:3: no tab; data.tsv:3: no tab\n"},
		{"unknown flag", []string{"-x"}, nothing, 2, "fake: flag provided but not defined: -x (-h explains the flags)\n"},
		{"no number", []string{"-seed", "-1"}, nothing, 2, `fake: invalid value "-1" for flag -seed: parse error (-h explains the flags)` + "\n"},
		{"argument", []string{"file"}, nothing, 2, `fake: unexpected argument "file" (-h explains the flags)` + "\n"},
		{"no iteration", []string{"-iterations", "0"}, nothing, 2, "fake: -iterations 0: want at least 1 (-h explains the flags)\n"},
		{"negative restarts", []string{"-restarts=-1"}, nothing, 2, "fake: -restarts -1: want at least 0 (-h explains the flags)\n"},
		{"no worker", []string{"-workers", "0"}, nothing, 2, "fake: -workers 0: want at least 1 (-h explains the flags)\n"},
		{"plot", []string{"-plot", "a.pdf"}, nothing, 2, "fake: -plot a.pdf: want a name that ends in .svg or .png (-h explains the flags)\n"},
		{"figure", []string{"-curve", "a.pdf"}, nothing, 2, "fake: -curve a.pdf: want a name that ends in .svg or .png (-h explains the flags)\n"},
		{"checked", []string{"-order", "4"}, nothing, 2, "fake: -order 4: want an odd number (-h explains the flags)\n"},
		{"choice", []string{"-kind", "c"}, nothing, 2, "fake: -kind c: want one of a, b (-h explains the flags)\n"},
		{"chosen", []string{"-kind", "b"}, nothing, 0, ""},
		{"two outputs", []string{"-o", "a", "-save", "./a"}, nothing, 2, "fake: -o and -save: both are ./a (-h explains the flags)\n"},
		{"two on standard output", []string{"-o", "-", "-save", "-"}, nothing, 2, "fake: -o and -save: both are - (-h explains the flags)\n"},
		{"two of standard input", []string{"-data", "-", "-test", "-"}, nothing, 2, "fake: -data and -test: both are -, which can be read only once (-h explains the flags)\n"},
		{"checkpoint and output", []string{"-checkpoint", "a", "-o", "a"}, nothing, 2, "fake: -checkpoint and -o: both are a (-h explains the flags)\n"},
		{"checkpoint", []string{"-checkpoint", "-"}, nothing, 2, "fake: -checkpoint -: want the name of a file (-h explains the flags)\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := execute(t.Context(), test.run, test.args...)
			if d := cmp.Diff(result{test.status, "", test.stderr}, got, cmp.AllowUnexported(result{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	got := execute(t.Context(), nothing, "-h")
	want, err := os.ReadFile("testdata/help.txt")
	if err != nil || got != (result{0, string(want), ""}) {
		t.Errorf("%v, status %d, %s%s", err, got.status, got.stderr, cmp.Diff(string(want), got.out))
	}
}

func TestInterrupt(t *testing.T) {
	known := func(ctx context.Context, r *Run) error {
		fmt.Fprintln(r.Out, "known")
		r.Trained(Training{Iterations: 4, Status: "iteration limit"})
		return nil
	}
	tests := map[string]func(context.Context, *Run) error{
		"returns nil":    known,
		"returns cancel": func(ctx context.Context, r *Run) error { _ = known(ctx, r); return fmt.Errorf("fit: %w", ctx.Err()) },
	}
	for name, run := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			got := execute(ctx, func(ctx context.Context, r *Run) error { cancel(); return run(ctx, r) }, "-json")
			if got.status != 130 || got.stderr != "fake: interrupted\n" || !strings.HasPrefix(got.out, "known\n{") {
				t.Fatalf("%+v", got)
			}
			if _, values := object(t, got.out); values["status"] != "canceled" || values["iterations"] != 4.0 {
				t.Errorf("%v", values)
			}
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write(b []byte) (int, error) { return 0, errors.New("no space") }

func TestOutputFails(t *testing.T) {
	p := New("fake", "fake does nothing.")
	var stderr bytes.Buffer
	p.Do(func(_ context.Context, r *Run) error {
		fmt.Fprintln(r.Out, "result")
		return nil
	})
	status := p.Execute(t.Context(), nil, fullDisk{}, &stderr)
	if status != 1 || stderr.String() != "fake: standard output: no space\n" {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}

func TestWarn(t *testing.T) {
	got := execute(t.Context(), func(_ context.Context, r *Run) error { r.Warn("%d examples skipped", 2); return nil })
	if got.status != 0 || got.stderr != "fake: 2 examples skipped\n" {
		t.Errorf("%+v", got)
	}
}
