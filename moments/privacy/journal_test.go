package privacy

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// keys are the keys of people, some with bytes that a line of text cannot contain.
var keys = []string{"ann", "", "bob \"x\"\n0x1p+00", "\xff\x00", "žofie"}

// entries spends n times, and returns the ledger's file after each entry and what had been
// spent then.
func entries(t testing.TB, name string, n int) (files [][]byte, spent []map[string]float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(31, 32))
	l := must(OpenLedger(name, 50))
	defer l.Close()
	note := func() {
		files, spent = append(files, must(os.ReadFile(name))), append(spent, maps.Clone(l.spent))
	}
	note()
	for range n {
		m := must(NewRandomizedResponse(3, nil, .1+rng.Float64()))
		must(Spend(l, keys[rng.IntN(len(keys))], m, 1, nil))
		note()
	}
	return files, spent
}

// TestLedgerSurvives: wherever the file is cut off, as when the writing process is killed, all
// entries with complete lines are restored, bit for bit, and the ledger can continue.
func TestLedgerSurvives(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ledger")
	files, spent := entries(t, name, 8)
	whole := files[len(files)-1]
	m := must(NewRandomizedResponse(2, nil, 1))
	last := -1
	for n := range len(whole) + 1 {
		if err := os.WriteFile(name, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if last+1 < len(files) && n >= len(files[last+1]) {
			last++
		}
		want := map[string]float64{}
		if last >= 0 {
			want = spent[last]
		}
		l, err := OpenLedger(name, 50)
		if err != nil {
			t.Fatalf("cut off at %d: %v", n, err)
		}
		if !maps.Equal(l.spent, want) {
			t.Fatalf("cut off at %d: %v, want %v", n, l.spent, want)
		}
		if n%5 == 0 {
			must(Spend(l, "new", m, 1, nil))
		}
		want = maps.Clone(l.spent)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = must(OpenLedger(name, 50))
		if !maps.Equal(l.spent, want) {
			t.Fatalf("cut off at %d and gone on: %v, want %v", n, l.spent, want)
		}
		l.Close()
	}
	if last != len(files)-1 {
		t.Errorf("%d entries seen", last)
	}
}

// TestLedgerDamage: any changed byte in a complete line is detected, and so is a missing line; the
// file is not modified.
func TestLedgerDamage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ledger")
	files, _ := entries(t, name, 3)
	whole := files[len(files)-1]
	check := func(what string, text []byte, want error) {
		t.Helper()
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := OpenLedger(name, 50)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		if err == nil {
			l.Close()
		} else if !bytes.Equal(must(os.ReadFile(name)), text) {
			t.Errorf("%s: the file was changed", what)
		}
	}
	for i := range len(whole) - 1 { // without its end the last line is one that was being written
		bad := bytes.Clone(whole)
		bad[i] ^= 1
		check(fmt.Sprintf("byte %d", i), bad, ErrFormat)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	check("without the first entry", bytes.Join([][]byte{lines[0], lines[2]}, nil), ErrFormat)
	check("twice", bytes.Join([][]byte{lines[0], lines[1], lines[1]}, nil), ErrFormat)
	check("no heading", lines[1], ErrFormat)
	check("another file", []byte("loss"), ErrFormat)
	check("a long line", append(bytes.Clone(whole), bytes.Repeat([]byte("x"), 1<<17)...), ErrFormat)
	j := &journal{}
	for _, text := range []string{heading + ", budget 0x1p+00", heading} {
		line, _ := j.line(text)
		check(text, []byte(line), ErrInvalid)
	}
	first, sum := j.line(heading + ", budget 0x1.9p+05")
	j.sum = sum
	for _, text := range []string{"NaN \"x\"", "-1 \"x\"", "1 x", "1", ""} {
		line, _ := j.line(text)
		check(text, []byte(first+line), ErrFormat)
	}
}

// TestLedgerFile: only one ledger at a time has a file open; its budget holds over several
// openings; a record that cannot be entered is not released.
func TestLedgerFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ledger")
	m := must(NewRandomizedResponse(2, nil, .6))
	for i := range 4 {
		l := must(OpenLedger(name, 2))
		wants(t, "open", ErrBusy)(OpenLedger(name, 2))
		if i < 3 {
			must(Spend(l, "ann", m, 1, nil))
		} else {
			nothing(t, "over the budget", ErrBudget)(Spend(l, "ann", m, 1, nil))
			nothing(t, "a long key", ErrInvalid)(Spend(l, strings.Repeat("x", longest), m, 1, nil))
		}
		before := l.Loss()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		nothing(t, "closed", os.ErrClosed)(Spend(l, "bob", m, 1, nil))
		nothing(t, "closed and broken", os.ErrClosed)(Spend(l, "bob", m, 1, nil))
		if l.Loss() != before {
			t.Error("what was not released was entered")
		}
	}
	wants(t, "another budget", ErrInvalid)(OpenLedger(name, 3))
	wants(t, "no budget", ErrInvalid)(OpenLedger(name, 0))
	wants(t, "no file", os.ErrNotExist)(OpenLedger(filepath.Join(name+".d", "ledger"), 1))
}

// TestComposed: losses in several ledgers, of one person one after another, of people
// beside each other.
func TestComposed(t *testing.T) {
	a, b := must(NewLedger[string](5)), must(OpenLedger(filepath.Join(t.TempDir(), "ledger"), 5))
	defer b.Close()
	m := must(NewRandomizedResponse(2, nil, .6))
	for _, of := range []struct {
		l      *Ledger[string]
		person string
	}{{a, "ann"}, {a, "bob"}, {b, "ann"}, {b, "eve"}, {b, "eve"}, {b, "eve"}} {
		must(Spend(of.l, of.person, m, 0, nil))
	}
	x := m.Loss()
	if a.Loss() != x || b.Loss() != Sequential(x, x, x) || Composed(a, b) != b.Loss() || Composed[string]() != 0 {
		t.Errorf("%g, %g, %g", a.Loss(), b.Loss(), Composed(a, b))
	}
	must(Spend(a, "ann", m, 0, nil))
	must(Spend(a, "ann", m, 0, nil))
	if got := Composed(a, b); got < 4*x || got > 4*x*(1+0x1p-50) {
		t.Errorf("%g, want %g", got, 4*x)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzLedger: any file opens, or is rejected and not modified; a file that opened opens again.
func FuzzLedger(f *testing.F) {
	files, _ := entries(f, filepath.Join(f.TempDir(), "ledger"), 3)
	for _, text := range files {
		f.Add(text)
		f.Add(text[:len(text)-3])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "ledger")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := OpenLedger(name, 50)
		if err != nil {
			if !bytes.Equal(must(os.ReadFile(name)), text) {
				t.Error("a file that was refused was changed")
			}
			return
		}
		spent := l.spent
		l.Close()
		again := must(OpenLedger(name, 50))
		defer again.Close()
		if !maps.Equal(again.spent, spent) {
			t.Errorf("%v, then %v", spent, again.spent)
		}
	})
}
