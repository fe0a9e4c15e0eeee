package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/tsv"
)

// learner runs a program whose model is a text, which training makes from -data.
func learner(args ...string) result {
	p := New("learner", "learner keeps a text.")
	data := p.Data("a line")
	p.Test("A line.")
	p.Output("a line")
	p.Iterations(1)
	p.Workers()
	export := func(m *string, w io.Writer) error { _, err := io.WriteString(w, "<"+*m+">"); return err }
	Define(p, Task[string, *string]{
		Read: func(_ context.Context, r *Run) (string, error) { return fmt.Sprint("read ", r.Loads()), nil },
		New:  func(string) (*string, error) { return new(string), nil },
		Fit: func(_ context.Context, r *Run, m *string, d string) error {
			r.Trained(Training{Objective: []float64{1, 2}, Status: "converged"})
			*m = "learnt from " + *data
			return nil
		},
		Save: func(m *string, w io.Writer) error { _, err := io.WriteString(w, *m); return err },
		Load: func(r io.Reader) (*string, error) {
			b, err := io.ReadAll(r)
			if len(b) == 0 {
				err = errors.New("no model")
			}
			m := string(b)
			return &m, err
		},
		Answer: func(_ context.Context, m *string, line string, n int) ([]string, error) {
			return []string{*m, fmt.Sprint(n)}, nil
		},
		Score: func(_ context.Context, r *Run, m *string, d string) error {
			fmt.Fprintln(r.Out, d, "scored")
			return nil
		},
		Exports: []Export[*string]{{"export", "write it to `FILE`", export}},
		Several: "of them", Curve: Curve{"nats", func(title, axis string, lines ...Line) (Drawing, error) {
			return fake(fmt.Sprint(title, ", ", axis, ", ", lines)), nil
		}},
	})
	var out, stderr bytes.Buffer
	status := p.Execute(context.Background(), args, &out, &stderr)
	return result{status, out.String(), stderr.String()}
}

// fake is a drawing that writes itself and its format.
type fake string

func (f fake) Write(w io.Writer, format string) error {
	_, err := fmt.Fprint(w, f, ", ", format)
	return err
}

func TestTask(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	model, lines := filepath.Join(folder, "model"), filepath.Join(folder, "lines")
	for _, name := range []string{lines, "l", "X"} {
		if err := os.WriteFile(name, []byte("a\nb\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := "a\tlearnt from X\t2\nb\tlearnt from X\t2\n"
	if got := learner("-data", "X", "-save", model, "-apply", lines, "-n", "2"); got != (result{0, want, ""}) {
		t.Errorf("training: %+v", got)
	}
	if got := learner("-load", model, "-apply", lines, "-n", "2"); got != (result{0, want, ""}) {
		t.Errorf("loading: %+v", got)
	}
	for _, c := range []struct{ args, want string }{
		{"", "read false scored\n"},
		{"-load " + model + " -test X", "read true scored\n"},
		{"-load " + model + " -export -", "<learnt from X>"},
	} {
		if got := learner(strings.Fields(c.args)...); got != (result{0, c.want, ""}) {
			t.Errorf("%s: %+v", c.args, got)
		}
	}
	learner("-plot", "curve.svg")
	if picture, err := os.ReadFile("curve.svg"); err != nil || string(picture) != "Training, nats, [{ 1 [1 2]}], svg" {
		t.Errorf("the learning curve: %s, %v", picture, err)
	}
	empty := filepath.Join(folder, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"-load m", 2, "-load: want -test or -export or -apply as well"},
		{"-load m -apply l -data d", 2, "-data: has no effect with -load"},
		{"-load m -apply l -save d", 2, "-save: has no effect with -load"},
		{"-load m -apply l -plot x.svg", 2, "-plot: has no effect with -load"},
		{"-n 2", 2, "-n: want -apply or -o as well"},
		{"-load m -apply l -test X", 2, "-test: has no effect with -apply"},
		{"-load m -apply l -iterations 3", 2, "-iterations: has no effect with -load"},
		{"-n 0 -apply l", 2, "-n 0: want at least 1"},
		{"-load - -apply -", 2, "-apply and -load: both are -"},
		{"-load " + empty + " -apply l", 1, "-load " + empty + ": no model"},
		{"-load " + filepath.Join(folder, "none") + " -apply l", 1, "no such file"},
	} {
		got := learner(strings.Fields(c.args)...)
		if got.status != c.status || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: %+v, want status %d, %q", c.args, got, c.status, c.want)
		}
	}
}

// A list of flags that names an undeclared flag is an error in the program.
func TestUnknownFlag(t *testing.T) {
	defer func() {
		if fmt.Sprint(recover()) != "program: fake has no flag -model" {
			t.Error("no panic")
		}
	}()
	New("fake", "").Excludes("quiet", "model")
}

// A loaded model is prepared before lines are answered, by the records of another file, whose
// bad records are skipped. A trained model is not.
func TestPrepare(t *testing.T) {
	t.Chdir(t.TempDir())
	pairs := strings.Repeat("a\tb\n", 10) + "c\n"
	for name, text := range map[string]string{"model": "m", "lines": "x\n", "pairs": pairs} {
		if err := os.WriteFile(filepath.Clean(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"-load model -more pairs -apply lines": "x\tm of 10\n", "-load model -apply lines": "x\tm\n", "-more pairs -apply lines": "x\tnew\n",
	} {
		p := New("fake", "fake answers.")
		more := p.Input("more", "read `FILE`")
		p.About(AboutAnswers, "more")
		p.Output("a line")
		Define(p, Task[struct{}, *string]{
			New: func(struct{}) (*string, error) { s := "new"; return &s, nil },
			Load: func(in io.Reader) (*string, error) {
				b, err := io.ReadAll(in)
				s := string(b)
				return &s, err
			},
			Prepare: func(_ context.Context, r *Run, m *string) error {
				if !r.Given("more") {
					return nil
				}
				all, err := All(r, tsv.PairsOf(*more))
				*m += fmt.Sprint(" of ", len(all))
				return err
			},
			Answer: func(_ context.Context, m *string, _ string, _ int) ([]string, error) { return []string{*m}, nil },
			Line:   "A line.",
		})
		var out, stderr bytes.Buffer
		status := p.Execute(t.Context(), strings.Fields(args), &out, &stderr)
		if status != 0 || out.String() != want {
			t.Errorf("%s: status %d, %q, want %q; %s", args, status, &out, want, &stderr)
		}
		if told := strings.Contains(stderr.String(), "pairs:11: "); told != strings.HasPrefix(args, "-load model -more") {
			t.Errorf("%s: %s", args, &stderr)
		}
	}
}
