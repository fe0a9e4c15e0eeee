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
)

// learner is a program whose model is a text: training makes it of -data.
func learner(args ...string) result {
	p := New("learner", "learner keeps a text.")
	data := p.Data("a line")
	p.Apply("A line is a word.")
	best := p.Best(1, "behind each word")
	p.Output("a line")
	m := p.Model("data", "apply o")
	p.Needs("n", "apply")
	var out, stderr bytes.Buffer
	status := p.Execute(context.Background(), args, &out, &stderr, func(ctx context.Context, r *Run) error {
		model := "learnt from " + *data
		if m.Loads() {
			var err error
			if model, err = Loaded(m, func(r io.Reader) (string, error) {
				b, err := io.ReadAll(r)
				if len(b) == 0 {
					err = errors.New("no model")
				}
				return string(b), err
			}); err != nil {
				return err
			}
		}
		if err := m.Save(func(w io.Writer) error { _, err := io.WriteString(w, model); return err }); err != nil {
			return err
		}
		return r.Stream(ctx, Stream{Answer: func(context.Context, string) ([]string, error) {
			return []string{model, fmt.Sprint(*best)}, nil
		}})
	})
	return result{status, out.String(), stderr.String()}
}

func TestModel(t *testing.T) {
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
	empty := filepath.Join(folder, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"-load m", 2, "-load: want -apply or -o as well"},
		{"-load m -apply l -data d", 2, "-data: has no effect with -load"},
		{"-load m -apply l -save d", 2, "-save: has no effect with -load"},
		{"-n 2", 2, "-n: want -apply as well"},
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

// A list of flags that names one that is not there is an error in the program.
func TestUnknownFlag(t *testing.T) {
	defer func() {
		if fmt.Sprint(recover()) != "program: fake has no flag -model" {
			t.Error("no panic")
		}
	}()
	New("fake", "").Excludes("quiet", "model")
}
