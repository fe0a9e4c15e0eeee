package beam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

func init() {
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&survey{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&gather{})
}

// Text is a sequence of files whose lines are numbered: all data of a likelihood, to be cut
// into shards.
type Text struct {
	files []surveyed
	first []int // per file, its first line, from 0; then the number of all lines
}

// surveyed is the result of a survey of one file.
type surveyed struct {
	File  string
	Lines int
	// Marks are the numbers of bytes before the lines 1 + markEvery, 1 + 2·markEvery, …. It is
	// empty if the file is compressed.
	Marks []int64
	// Failure is the error of a worker that cannot find the file.
	Failure *failure
}

// markEvery bounds the number of lines that are read and skipped to begin in the middle of a file.
const markEvery = 256

// Survey counts the lines of files by a pipeline with one element for each file.
// The driver receives only the counts. dir is as Job.Dir, run as Job.Run; nil means Run.
//
// Reading a shard in the middle of a compressed file includes decompressing everything before it.
// Prefer one or several files per shard.
func Survey(ctx context.Context, dir string, run func(context.Context, *sdk.Pipeline) error, files ...string) (*Text, error) {
	nonnil.Check("beam: Survey", "context", ctx)
	if len(files) == 0 || dir == "" {
		return nil, nested.Errorf("beam: %w: a survey of %d files in folder %q", em.ErrInvalid, len(files), dir)
	}
	if run == nil {
		run = Run
	}
	s := step{Out: join(dir, "survey-"+unique())}
	defer removeFiles(context.WithoutCancel(ctx), s.Out+"*")
	p := sdk.NewPipeline()
	root := p.Root()
	numbers := sdk.Reshuffle(root, sdk.ParDo(root, &enumerate{0, len(files), 1}, sdk.Impulse(root)))
	found := sdk.GroupByKey(root, sdk.ParDo(root, &survey{files}, numbers))
	sdk.ParDo0(root, &gather{s.Out}, found)
	if err := run(ctx, p); err != nil {
		return nil, nested.Errorf("beam: survey: %w", err)
	}
	t := &Text{first: []int{0}}
	if err := readGob(ctx, s.Out, &t.files); err != nil {
		return nil, err
	}
	if len(t.files) != len(files) {
		return nil, nested.Errorf("beam: %d files were surveyed, want %d", len(t.files), len(files))
	}
	for i, f := range t.files {
		if f.Failure != nil {
			return nil, nested.Errorf("beam: survey: %w", f.Failure)
		}
		t.first = append(t.first, t.first[i]+f.Lines)
	}
	return t, nil
}

// Lines returns the number of lines.
func (t *Text) Lines() int { return t.first[len(t.files)] }

// Cut returns the shards of the lines, one example per line, cut by c. em.NewCut(t.Lines())
// is the cut of most likelihoods in one process. It panics if c is for another number of lines.
func (t *Text) Cut(c em.Cut) []Shard {
	n := c.Shards()
	if _, hi := c.Shard(n - 1); hi != t.Lines() {
		panic(fmt.Sprintf("beam: Text.Cut: a cut of %d examples for %d lines", hi, t.Lines()))
	}
	shards := make([]Shard, n)
	for i := range shards {
		lo, hi := c.Shard(i)
		shards[i] = Shard{Lines: t.lines(lo, hi), First: lo}
	}
	return shards
}

// lines returns the lines lo … hi − 1, counted from 0 over all files.
func (t *Text) lines(lo, hi int) []Range {
	var all []Range
	for i := sort.SearchInts(t.first, lo+1) - 1; i < len(t.files) && t.first[i] < hi; i++ {
		f := t.files[i]
		from, to := max(lo, t.first[i])-t.first[i], min(hi, t.first[i+1])-t.first[i]
		if from >= to {
			continue // an empty file
		}
		r := Range{File: f.File, First: from + 1, Lines: to - from}
		if mark := from / markEvery; mark > 0 && len(f.Marks) > 0 {
			r.Offset, r.At = f.Marks[mark-1], 1+mark*markEvery
		}
		all = append(all, r)
	}
	return all
}

// survey counts the lines of files.
type survey struct{ Files []string }

// ProcessElement is called by the engine.
func (s *survey) ProcessElement(ctx context.Context, number int, emit func(int, []byte)) error {
	found, err := surveyOf(ctx, s.Files[number])
	if missing(err) {
		found.Failure = failureOf(err)
	} else if err != nil {
		return err
	}
	b, err := toGob(numbered{number, found})
	if err != nil {
		return err
	}
	emit(0, b)
	return nil
}

// numbered is the result for a file with the index of the file.
type numbered struct {
	Number int
	Of     surveyed
}

// gather writes the results for all files to one file, in order.
type gather struct{ Out string }

// ProcessElement is called by the engine.
func (g *gather) ProcessElement(ctx context.Context, _ int, values func(*[]byte) bool) error {
	var all []numbered
	for value := []byte(nil); values(&value); value = nil {
		var x numbered
		if err := fromGob(value, &x); err != nil {
			return err
		}
		all = append(all, x)
	}
	slices.SortFunc(all, func(x, y numbered) int { return x.Number - y.Number })
	all = slices.CompactFunc(all, func(x, y numbered) bool { return x.Number == y.Number })
	files := make([]surveyed, len(all))
	for i, x := range all {
		files[i] = x.Of
	}
	return writeGob(ctx, g.Out, files)
}

// surveyOf counts the lines of a file as tsv.Lines does. Lines end with \n, \r\n or \r; the last
// line may lack an end.
func surveyOf(ctx context.Context, name string) (surveyed, error) {
	f := surveyed{File: name}
	file, err := openText(ctx, name, 0)
	if err != nil {
		return f, err
	}
	defer file.Close()
	c := counter{end: -1, marks: !compressed(name)}
	buffer := make([]byte, 1<<16)
	for {
		n, err := file.Read(buffer)
		c.count(buffer[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return f, nested.Errorf("beam: read %s: %w", name, err)
		}
	}
	f.Lines, f.Marks = c.lines, c.all
	if c.at > max(c.end, 0) && (c.lines > 0 || string(c.head) != byteOrderMark) {
		f.Lines++ // a last line without an end
	}
	return f, nil
}

const byteOrderMark = "\ufeff"

// counter counts the lines of a text that is read in parts.
type counter struct {
	lines int
	at    int64 // the number of bytes so far
	end   int64 // the number of bytes up to the last end of a line; −1: no end so far
	cr    bool  // this end was a carriage return, which a line feed may follow
	head  []byte
	marks bool    // whether to keep the marks
	all   []int64 // the marks
}

func (c *counter) count(part []byte) {
	if n := len(byteOrderMark) + 1 - len(c.head); n > 0 {
		c.head = append(c.head, part[:min(n, len(part))]...)
	}
	for {
		i := bytes.IndexAny(part, "\r\n")
		if i < 0 {
			c.at += int64(len(part))
			return
		}
		feed := part[i] == '\n'
		same := feed && c.cr && i == 0 && c.at == c.end
		part = part[i+1:]
		c.at += int64(i) + 1
		c.end, c.cr = c.at, !feed
		if !same {
			c.lines++
		}
		switch {
		case !c.marks || c.lines%markEvery != 0:
		case same:
			c.all[len(c.all)-1] = c.at
		default:
			c.all = append(c.all, c.at)
		}
	}
}
