package transliteration

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/loanwords"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/tsv"
)

// reading returns the data that a program reads from two files, and its messages.
func reading(t *testing.T, file, test string) (d Data, status int, stderr string) {
	t.Helper()
	p := program.New("test", "")
	p.Do(func(_ context.Context, r *program.Run) (err error) {
		d, err = ReadData(r, file, test)
		return err
	})
	var b bytes.Buffer
	status = p.Execute(t.Context(), nil, io.Discard, &b)
	return d, status, b.String()
}

func TestReadData(t *testing.T) {
	train := programtest.File(t, "train.tsv", "maria\tマ リ ア\t3\nana\tア ナ\n")
	test := programtest.File(t, "test.tsv", "marina\tマリーナ\nnew york\tニュー ヨーク\n")
	d, status, stderr := reading(t, train, test)
	want := Data{
		Train: []Pair{{train + ":1", "maria", "マリア", 3}, {train + ":2", "ana", "アナ", 1}},
		Test:  []Pair{{test + ":1", "marina", "マリーナ", 1}, {test + ":2", "new york", "ニュー ヨーク", 1}},
	}
	if status != 0 || !slices.Equal(d.Train, want.Train) || !slices.Equal(d.Test, want.Test) {
		t.Errorf("%+v, status %d, %s", d, status, stderr)
	}
	all, err := tsv.Collect(tsv.Pairs(strings.NewReader(loanwords.TSV), "pairs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if d, status, stderr = reading(t, "", ""); status != 0 || len(d.Train)+len(d.Test) != len(all) || len(d.Test) != len(all)/HeldOut {
		t.Errorf("%d training and %d test pairs of %d, %s", len(d.Train), len(d.Test), len(all), stderr)
	}
}

// TestReadDataErrors: a bad line among many is skipped; a file of bad lines, or with too few
// lines, is an error.
func TestReadDataErrors(t *testing.T) {
	good := programtest.File(t, "good.tsv", strings.Repeat("maria\tマ リ ア\n", 2*HeldOut))
	few := programtest.File(t, "few.tsv", strings.Repeat("maria\tマ リ ア\n", HeldOut-1))
	bad := programtest.File(t, "bad.tsv", "maria\tマ リ ア\nmario マ リ オ\n")
	empty := programtest.File(t, "empty.tsv", "")
	some := programtest.File(t, "some.tsv", strings.Repeat("maria\tマ リ ア\n", 2*HeldOut)+"mario マ リ オ\n")
	for _, x := range []struct {
		train, test string
		status      int
		want        string
	}{
		{bad, "", 1, bad + ":2: no tab"},
		{good, bad, 1, bad + ":2: no tab"},
		{some, "", 0, "skipped: " + some + ":17: no tab"},
		{few, "", 1, "no test pairs: give -test, or at least 8 pairs"},
		{empty, "", 1, "no pairs to learn from"},
		{good, empty, 1, "no test pairs"},
		{good + "x", "", 1, "no such file"},
	} {
		if _, status, stderr := reading(t, x.train, x.test); status != x.status || !strings.Contains(stderr, x.want) {
			t.Errorf("status %d, %q, want %d, %q", status, stderr, x.status, x.want)
		}
	}
}

// TestAsk: the first pairs are queried in both directions, the records and accuracies report
// the answers, and unknown characters are named.
func TestAsk(t *testing.T) {
	letters, kana := NewColumn(script.Composed, false), NewColumn(script.Composed, false)
	a, k := letters.Learn("a"), kana.Learn("カ")
	ways := []*Transliterator{
		{"forward", letters, kana, fixed{{Labels: k, LogProb: -1}}},
		{"backward", kana, letters, fixed{{Labels: a, LogProb: -1}}},
	}
	x := &Test{Pairs: []Pair{{"x:1", "a", "カ", 1}, {"x:2", "a", "ク", 1}, {"x:3", "b", "カ", 1}}, Direction: Both, Workers: 2}
	var records, out, stderr bytes.Buffer
	p := program.New("test", "")
	p.Do(func(ctx context.Context, r *program.Run) error {
		x.WarnUnknown(r, letters, kana)
		if err := x.Ask(ctx, r, &records, "after", 2, ways...); err != nil {
			return err
		}
		x.Report(r)
		x.Direction = "forward"
		if err := x.Ask(ctx, r, &records, "none", 2, ways[1]); err == nil {
			return fmt.Errorf("a direction without models is asked")
		}
		return nil
	})
	status := p.Execute(t.Context(), []string{"-json", "-quiet"}, &out, &stderr)
	if want := "forward\ta\tカ\tカ\nforward\ta\tク\tカ\nbackward\tカ\ta\ta\nbackward\tク\ta\n"; status != 0 || records.String() != want {
		t.Errorf("status %d, %s, records %q, want %q", status, &stderr, &records, want)
	}
	if want := `2 test pairs have a character that the model does not know: x:2: "ク" in a ク`; !strings.Contains(stderr.String(), want) {
		t.Errorf("no %q in %s", want, &stderr)
	}
	r := programtest.Report[struct{ Forward, Backward map[string]Accuracy }](t, out.String())
	if want := (Accuracy{.5, .5, .5}); r.Forward["after"] != want || r.Backward["after"] != want {
		t.Errorf("%+v", r)
	}
}
