package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// record writes a record to o, and other output to standard output.
func record(text string, err error) func(context.Context, *Run, *Output) error {
	return func(_ context.Context, r *Run, o *Output) error {
		fmt.Fprintln(r.Out, "summary")
		return o.Write(func(w io.Writer) error {
			io.WriteString(w, text)
			return err
		})
	}
}

func TestOutput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out.tsv")
	broken := errors.New("broken")
	for _, x := range []struct {
		text   string
		err    error
		status int
		want   string
	}{
		{"first\n", nil, 0, "first\n"},
		{"half", broken, 1, "first\n"},
		{"second\n", nil, 0, "second\n"},
	} {
		got := executeOutput(t.Context(), record(x.text, x.err), "-o", name)
		if text, err := os.ReadFile(name); got.status != x.status || got.out != "summary\n" || string(text) != x.want || err != nil {
			t.Errorf("%+v: %q, %v", got, text, err)
		}
	}
	// A program without output leaves the file unchanged.
	if got := execute(t.Context(), nothing, "-o", name, "-plot", name+".svg"); got.status != 0 {
		t.Errorf("%+v", got)
	}
	if files, _ := os.ReadDir(filepath.Dir(name)); len(files) != 1 {
		t.Errorf("%d files are left, want 1", len(files))
	}
}

// With -o - standard output has only the records.
func TestOutputDash(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, x := range []struct {
		args   []string
		stderr string
	}{{nil, "summary\n"}, {[]string{"-quiet"}, ""}} {
		got := executeOutput(t.Context(), record("record\n", nil), append(x.args, "-o", "-", "-json")...)
		if got.status != 0 || !strings.HasPrefix(got.out, "record\n{") || got.stderr != x.stderr {
			t.Errorf("%v: %+v", x.args, got)
		}
	}
	if files, _ := os.ReadDir("."); len(files) > 0 {
		t.Errorf("%v is made", files)
	}
}

// An output that cannot be written is reported before the program begins.
func TestOutputsAreOpenedFirst(t *testing.T) {
	name := filepath.Join(t.TempDir(), "none", "x")
	for _, flag := range []string{"-o", "-save", "-plot", "-curve", "-checkpoint"} {
		began := false
		got := execute(t.Context(), func(context.Context, *Run) error { began = true; return nil }, flag, name+".svg")
		if got.status != 1 || began || !strings.HasPrefix(got.stderr, "fake: "+flag+": ") || !strings.Contains(got.stderr, "no such file") {
			t.Errorf("%s: began %v, %+v", flag, began, got)
		}
	}
}
