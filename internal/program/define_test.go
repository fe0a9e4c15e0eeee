package program_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/program"
)

// A flag of the model is refused beside -load unless it is permitted, and one that is permitted
// asks for nothing by itself.
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
