package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// openFst is a folder with the exported machines, one file each, for OpenFst's tools.
type openFst string

// newOpenFst exports the cascade. It skips the test if the tools are not installed, unless
// PATHSUM_OPENFST=require.
func newOpenFst(t testing.TB, c *cascadeSystem) openFst {
	t.Helper()
	if _, err := exec.LookPath("farextract"); err != nil {
		if os.Getenv("PATHSUM_OPENFST") == "require" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	x := openFst(t.TempDir())
	f, err := os.Create(filepath.Join(string(x), "all.far"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.export(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	x.run(t, "farextract --filename_suffix=.fst all.far")
	for _, table := range []string{"letters", "romaji", "kana"} {
		save := map[string]string{
			"letters": "--save_isymbols=letters.txt channel.fst", "romaji": "--save_isymbols=romaji.txt table.fst", "kana": "--save_osymbols=kana.txt table.fst",
		}[table]
		x.run(t, "fstprint "+save+" >/dev/null")
	}
	return x
}

// run runs a command of the shell in the folder and returns what it prints.
func (x openFst) run(t testing.TB, command string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = string(x), &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v: %s", command, err, stderr.Bytes())
	}
	return string(out)
}

// text writes an acceptor of a text, by the names of its characters.
func (x openFst) text(t testing.TB, name, text, symbols string) {
	t.Helper()
	var b strings.Builder
	n := 0
	for _, r := range text {
		symbol := string(r)
		if symbol == " " {
			symbol = "<space>"
		}
		fmt.Fprintf(&b, "%d %d %s\n", n, n+1, symbol)
		n++
	}
	fmt.Fprintln(&b, n)
	if err := os.WriteFile(filepath.Join(string(x), name+".txt"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	x.run(t, "fstcompile --acceptor --isymbols="+symbols+" --keep_isymbols --keep_osymbols "+name+".txt "+name+".fst")
}

// TestOpenFst: OpenFst reads the machines with their symbols, and their composition gives pairs
// the same probabilities as here, summed over all paths.
func TestOpenFst(t *testing.T) {
	d, tb := known(t, some(t, "new york\tニ ュ ー ヨ ー ク\n"), "")
	c, err := newCascade(d)
	if err != nil {
		t.Fatal(err)
	}
	c.channel.Theta = c.copying()
	x := newOpenFst(t, c)
	p, err := c.channel.Predictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{{"anna", "アンナ"}, {"bach", "バッハ"}, {"a b", "アブ"}, {"new york", "ニューヨーク"}} {
		letters, _ := c.letters.Labels(pair[0])
		kana, _ := tb.column.Labels(pair[1])
		logp, err := p.Forward().LogProb(letters, kana)
		if err != nil {
			t.Fatal(err)
		}
		x.text(t, "x", pair[0], "letters.txt")
		x.text(t, "y", pair[1], "kana.txt")
		sum := func(machines string) float64 {
			printed := x.run(t, machines+" | fstmap --map_type=to_log64 | fstshortestdistance --reverse")
			fields := strings.Fields(printed) // state and distance, of state 0 first
			if len(fields) < 2 {
				t.Fatalf("%v: fstshortestdistance prints %q", pair, printed)
			}
			cost, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return -cost
		}
		const channel = "fstcompose x.fst channel.fst | fstarcsort --sort_type=olabel | fstcompose - table.fst | fstarcsort --sort_type=olabel | fstcompose - y.fst"
		if got := sum(channel); math.Abs(got-logp) > 1e-4*math.Abs(logp) {
			t.Errorf("%v: ln p is %g by OpenFst, %g here", pair, got, logp)
		}
		if got, want := sum("fstcompose x.fst letters.fst"), c.search.LogProb(letters); math.Abs(got-want) > 1e-4*math.Abs(want) {
			t.Errorf("%s: ln p of the letters is %g by OpenFst, %g here", pair[0], got, want)
		}
	}
}
