package beam_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
)

// TestText: for any cut of the files, the shards have their lines, in order, with their numbers.
func TestText(t *testing.T) {
	var lines []string
	for i := range 1400 {
		lines = append(lines, strings.Repeat("é", i%7)+fmt.Sprint(i))
	}
	dir := t.TempDir()
	counts := []int{600, 270, 0, 1, 529}
	files := write(t, dir, lines, counts...)
	text, err := beam.Survey(t.Context(), dir, nil, files...)
	if err != nil {
		t.Fatal(err)
	}
	if text.Lines() != len(lines) {
		t.Fatalf("%d lines, want %d", text.Lines(), len(lines))
	}
	var names []string // of the lines
	for i, n := range counts {
		for k := range n {
			names = append(names, fmt.Sprint(files[i], k+1))
		}
	}
	for _, cut := range []em.Cut{em.NewCut(1400), em.NewCutBySize(1400, 1), em.NewCutBySize(1400, 333), em.NewCutBySize(1400, 1400)} {
		var got, from []string
		for i, s := range text.Cut(cut) {
			if lo, _ := cut.Shard(i); s.First != lo || len(got) != lo {
				t.Fatalf("shard %d begins with %d after %d lines, want %d", i, s.First, len(got), lo)
			}
			for l, err := range s.Read(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				got, from = append(got, l.Text), append(from, fmt.Sprint(l.File, l.Number))
			}
		}
		if !slices.Equal(got, lines) || !slices.Equal(from, names) {
			t.Errorf("%d shards have other lines", cut.Shards())
		}
	}
	if rest, err := os.ReadDir(dir); err != nil || len(rest) != len(files) {
		t.Errorf("a survey leaves files: %v, %v", rest, err)
	}
}

// TestBadText: an error in a file is reported with its position.
func TestBadText(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	read := func(r beam.Range) error {
		for _, err := range (beam.Shard{Lines: []beam.Range{r}}).Read(t.Context()) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	good := put("good", "one\ntwo\n")
	for _, c := range []struct {
		what string
		err  error
		want string
	}{
		{"a missing file", read(beam.Range{File: filepath.Join(dir, "none"), First: 1}), "none"},
		{"too few lines", read(beam.Range{File: good, First: 2, Lines: 2}), "1 lines from line 2"},
		{"no UTF-8", read(beam.Range{File: put("bytes", "fine\n\xff\n"), First: 1}), "line 2"},
		{"no gzip", read(beam.Range{File: put("plain.gz", "text\n"), First: 1}), "plain.gz"},
		{"an unknown scheme", read(beam.Range{File: "nowhere://x", First: 1}), "nowhere"},
	} {
		if c.err == nil || !strings.Contains(strings.ReplaceAll(c.err.Error(), "bytes:2", "line 2"), c.want) {
			t.Errorf("%s: %v, want an error that says %q", c.what, c.err, c.want)
		}
	}
	if err := read(beam.Range{File: put("bytes", "fine\n\xff\n"), First: 1, Lines: 1}); err != nil {
		t.Errorf("a line that is fine: %v", err)
	}
	if _, err := beam.Survey(t.Context(), dir, nil, filepath.Join(dir, "none")); err == nil {
		t.Error("a survey of a missing file is no error")
	}
	none := filepath.Join(dir, "nowhere")
	if _, err := beam.Survey(t.Context(), dir, nil, none); err == nil || err.Error() != "beam: survey: open "+none+": no such file or directory" {
		t.Errorf("a survey of a file that is not there: %v", err)
	}
	if _, err := beam.Survey(t.Context(), dir, nil); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("a survey of no files: %v", err)
	}
}

// TestBadJobs: an invalid job is rejected.
func TestBadJobs(t *testing.T) {
	m := channel(t, 2)
	dir := t.TempDir()
	files := write(t, dir, noisy(3, 2), 3)
	job := beam.Job{Model: byLattice, Saved: save(t, m), Dir: dir, Shards: surveyed(t, dir, files...)}
	for what, change := range map[string]func(*beam.Job){
		"no shards":         func(j *beam.Job) { j.Shards = nil },
		"an unknown kind":   func(j *beam.Job) { j.Model = "nothing of the kind" },
		"no model":          func(j *beam.Job) { j.Saved = []byte("{}") },
		"negative blocks":   func(j *beam.Job) { j.Block = -1 },
		"negative attempts": func(j *beam.Job) { j.Attempts = -1 },
		"line 0":            func(j *beam.Job) { j.Shards = []beam.Shard{{Lines: []beam.Range{{File: files[0]}}}} },
		"shards that go back": func(j *beam.Job) {
			j.Shards = slices.Clone(j.Shards)
			j.Shards[1].First = 5
		},
		"an offset into what is compressed": func(j *beam.Job) {
			j.Shards = []beam.Shard{{Lines: []beam.Range{{File: "x.gz", First: 3, Offset: 10, At: 2}}}}
		},
	} {
		bad := job
		change(&bad)
		if l, err := beam.New(t.Context(), bad); err == nil {
			l.Close()
			t.Errorf("%s: no error", what)
		} else if !errors.Is(err, em.ErrInvalid) && !errors.Is(err, em.ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	l := remote(t, job)
	if _, err := l.Expect(t.Context(), em.Query{Theta: m.Theta, Lo: 1, Hi: 9}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("shards that are not there: %v", err)
	}
	l.Close()
	if rest, err := filepath.Glob(filepath.Join(dir, "pathsum-*")); err != nil || len(rest) != 0 {
		t.Errorf("files are left: %v, %v", rest, err)
	}
}
