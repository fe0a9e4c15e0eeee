package program_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/program"
)

// A flag of the model is an error with -load unless it is permitted, and a permitted flag does
// not define a use by itself.
func TestPermits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "model")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"-apply " + name + " -how": "", "-apply " + name + " -what": "-what: has no effect with -load", "-how": "want -apply as well"} {
		p := program.New("permits", "permits permits.")
		p.Output("a line")
		for _, flag := range []string{"how", "what"} {
			p.Flags.Bool(flag, false, flag)
		}
		p.Permits("how")
		program.Define(p, program.Task[int, int]{
			Load:   func(io.Reader) (int, error) { return 0, nil },
			Answer: func(context.Context, int, string, int) ([]string, error) { return nil, nil },
		})
		var stderr bytes.Buffer
		status := p.Execute(t.Context(), append(strings.Fields(args), "-load", name), io.Discard, &stderr)
		if (status == 0) != (want == "") || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: status %d, %s, want %q", args, status, &stderr, want)
		}
	}
}

// TestTrainTest: the held-out data depend only on the flags.
func TestTrainTest(t *testing.T) {
	missing := errors.New("missing")
	read := func(file string) ([]int, error) {
		switch file {
		case "data":
			return []int{1, 2, 3, 4}, nil
		case "test":
			return []int{5}, nil
		}
		return nil, missing
	}
	for _, x := range []struct {
		args, data, test string
		train, held      []int
		err              error
	}{
		{"", "data", "", []int{1, 3}, []int{2, 4}, nil},
		{"", "data", "test", []int{1, 2, 3, 4}, []int{5}, nil},
		{"-apply x", "data", "", []int{1, 2, 3, 4}, nil, nil},
		{"", "none", "", nil, nil, missing},
		{"", "data", "none", []int{1, 2, 3, 4}, nil, missing},
	} {
		p := program.New("test", "")
		p.Apply("")
		p.Do(func(_ context.Context, r *program.Run) error {
			train, held, err := program.TrainTest(r, x.data, x.test, 2, read)
			if !slices.Equal(train, x.train) || !slices.Equal(held, x.held) || !errors.Is(err, x.err) {
				t.Errorf("%+v: %v and %v, %v", x, train, held, err)
			}
			return nil
		})
		if x.args != "" {
			t.Chdir(t.TempDir())
			x.args = "-apply /dev/null"
		}
		if status := p.Execute(t.Context(), strings.Fields(x.args), io.Discard, io.Discard); status != 0 {
			t.Errorf("%+v: status %d", x, status)
		}
	}
}

func TestPositive(t *testing.T) {
	for arg, status := range map[string]int{"0": 2, "-1": 2, "NaN": 2, "Inf": 2, "0.5": 0} {
		p := program.New("test", "")
		x := p.Positive("x", 1, "`X`")
		p.Do(func(context.Context, *program.Run) error { return nil })
		var stderr strings.Builder
		if got := p.Execute(t.Context(), []string{"-x", arg}, io.Discard, &stderr); got != status || status == 0 != (*x == .5) || status > 0 && !strings.Contains(stderr.String(), "want a number > 0") {
			t.Errorf("-x %s: status %d, %s", arg, got, &stderr)
		}
	}
}
