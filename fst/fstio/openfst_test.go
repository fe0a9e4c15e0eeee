package fstio_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// OpenFst's tools are another implementation of the format and of composition.
// The tests with them are skipped where they are not installed, unless the
// environment has PATHSUM_OPENFST=require.

// tool runs a tool of OpenFst on input and returns its output.
func tool(t *testing.T, input []byte, name string, args ...string) []byte {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("PATHSUM_OPENFST") == "require" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	cmd := exec.Command(path, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v: %s", name, err, stderr.Bytes())
	}
	return out
}

// compile writes f to a file in OpenFst's binary form and returns its name.
func compile(t *testing.T, name string, f *fst.FST[semiring.Cost], o *fstio.Options, args ...string) string {
	t.Helper()
	file := fmt.Sprintf("%s/%s.fst", t.TempDir(), name)
	out := tool(t, []byte(write(t, f, o)), "fstcompile", args...)
	if err := os.WriteFile(file, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// random returns a random machine with costs that float32, OpenFst's default,
// represents exactly.
func random(seed uint64, labels int, acyclic bool) *fst.FST[semiring.Cost] {
	r := fsttest.Rand(seed)
	letters := 0
	shape := fsttest.Shape{States: 1 + r.IntN(6), Arcs: 14, Labels: labels, Epsilon: .25, Acyclic: acyclic}
	f := fsttest.New(r, fsttest.Bags{Max: 100}, shape, &letters)
	return fsttest.Frozen(fst.Map(f, tropical, func(w fsttest.Series) semiring.Cost {
		if len(w) == 0 {
			return tropical.Zero()
		}
		return semiring.Cost(r.IntN(64)) / 8
	}))
}

// fstcompile and fstprint convert the library's output to a text that the library reads as a
// machine with the same paths.
func TestOpenFstReadsAndWrites(t *testing.T) {
	dir := t.TempDir()
	symbols := fst.NewSymbols("a", "ß", "c")
	var table bytes.Buffer
	if err := fstio.WriteSymbols(&table, symbols); err != nil {
		t.Fatal(err)
	}
	file := dir + "/symbols.txt"
	if err := os.WriteFile(file, table.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(24) {
		f := random(seed, 3, true)
		o := new(fstio.Options)
		var args []string
		if seed%2 == 0 {
			f, o.Form, args = fsttest.Frozen(fst.ProjectOut(f)), fstio.Acceptor, []string{"--acceptor"}
		}
		if seed%3 == 0 {
			o.In, o.Out = symbols, symbols
			args = append(args, "--isymbols="+file, "--osymbols="+file)
		}
		text := tool(t, tool(t, []byte(write(t, f, o)), "fstcompile", args...), "fstprint", args...)
		if got, want := paths(read(t, string(text), o)), paths(f); !slices.Equal(got, want) {
			t.Fatalf("seed %d: paths %v, want %v, after\n%s", seed, got, want, text)
		}
	}
	printed := tool(t, tool(t, []byte("0 1 a a\n1\n"), "fstcompile", "--isymbols="+file, "--osymbols="+file, "--keep_isymbols"), "fstsymbols", "--save_isymbols="+dir+"/saved", "-")
	if len(printed) == 0 {
		t.Error("fstsymbols wrote nothing")
	}
	if saved := must(fstio.ReadSymbolsFile(dir + "/saved"))(t); !saved.Equal(symbols) {
		t.Error("the symbols that OpenFst saved are not those that it read")
	}
}

// Acyclic machines compose to machines with the same paths; for cyclic ones, the
// distance to every final state is the same.
func TestOpenFstComposes(t *testing.T) {
	for seed := range uint64(40) {
		acyclic := seed%2 == 0
		a, b := random(2*seed, 2, acyclic), random(2*seed+1, 2, acyclic)
		left, right := compile(t, "a", a, nil), compile(t, "b", b, nil)
		sorted := t.TempDir() + "/sorted"
		tool(t, nil, "fstarcsort", "--sort_type=olabel", left, sorted)
		composed := tool(t, nil, "fstcompose", sorted, right)
		want := read(t, string(tool(t, composed, "fstprint")), nil)
		got := must(fst.Expand(fst.Compose(a, b), nil))(t)
		if acyclic {
			if got, want := paths(got), paths(want); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %d paths %v, want %d %v", seed, len(got), got, len(want), want)
			}
		}
		distance := must(graph.PathSum(got.Graph()))(t)
		if want := shortestDistance(t, composed); distance != want && !(math.IsInf(float64(distance), 1) && math.IsInf(float64(want), 1)) {
			t.Fatalf("seed %d: distance %v, want %v", seed, distance, want)
		}
	}
}

// shortestDistance returns the distance from the initial to the final states of a machine in binary
// form, which is the distance from the initial state in reverse.
func shortestDistance(t *testing.T, machine []byte) semiring.Cost {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(tool(t, machine, "fstshortestdistance", "--reverse")))
	for lines.Scan() {
		columns := strings.Fields(lines.Text())
		if len(columns) == 2 && columns[0] == "0" {
			return semiring.Cost(must(strconv.ParseFloat(columns[1], 64))(t))
		}
	}
	return tropical.Zero()
}

// OpenFst reads machines in binary form as the library does and converts them, and the library
// reads the result.
func TestOpenFstBinary(t *testing.T) {
	symbols := fst.NewSymbols("a", "ß", "c")
	for seed := range uint64(4) {
		f := random(seed, 3, true)
		if seed%2 == 0 {
			f = f.WithSymbols(symbols, symbols)
		}
		want := paths(f)
		for _, form := range forms() {
			data := writeBinary(t, f, &form)
			tool(t, data, "fstinfo")
			// Costs are multiples of 1/8, which 32 bits hold.
			printed := string(tool(t, data, "fstprint"))
			o := &fstio.Options{In: f.InSymbols(), Out: f.OutSymbols()}
			if got := paths(read(t, printed, o)); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %v: fstprint has the paths %v, want %v", seed, form, got, want)
			}
			for _, to := range []string{"vector", "const"} {
				g := readBinary(t, tool(t, data, "fstconvert", "--fst_type="+to))
				if got := paths(g); !slices.Equal(got, want) || !g.InSymbols().Equal(f.InSymbols()) {
					t.Fatalf("seed %d, %v: converted to %s the paths are %v, want %v", seed, form, to, got, want)
				}
			}
			in, out := t.TempDir()+"/in", t.TempDir()+"/out"
			if err := os.WriteFile(in, data, 0o600); err != nil {
				t.Fatal(err)
			}
			tool(t, nil, "fstconvert", "--fst_type=const", "--fst_align", in, out)
			if got := paths(must(fstio.ReadBinaryFile(out, tropical))(t)); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %v: aligned the paths are %v, want %v", seed, form, got, want)
			}
		}
	}
}

// Archives go both ways.
func TestOpenFstArchives(t *testing.T) {
	for _, form := range []fstio.Archive{fstio.Table, fstio.List} {
		dir := t.TempDir()
		var b bytes.Buffer
		a := must(fstio.NewArchiveWriter[semiring.Cost](&b, form, nil))(t)
		names := []string{dir + "/again"}
		var want []string
		for i := range 3 {
			f := random(uint64(i), 2, true)
			want = append(want, fmt.Sprint(paths(f)))
			if err := a.Add(fmt.Sprintf("%s/%d", dir, i), f); err != nil {
				t.Fatal(err)
			}
			names = append(names, fmt.Sprintf("%s/%d", dir, i))
		}
		if err := errors.Join(a.Close(), os.WriteFile(dir+"/far", b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		if info := tool(t, nil, "farinfo", dir+"/far"); !bytes.Contains(info, []byte(form)) {
			t.Errorf("farinfo says %s", info)
		}
		tool(t, nil, "farextract", dir+"/far")
		tool(t, nil, "farcreate", append([]string{"--far_type=" + string(form)}, append(names[1:], names[0])...)...)
		i := 0
		for e, err := range fstio.ReadArchiveFile(names[0], tropical) {
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(paths(e.FST)); e.Key != filepath.Base(names[i+1]) || got != want[i] {
				t.Errorf("%s: %s has the paths %s, want %s", form, e.Key, got, want[i])
			}
			i++
		}
		if i != len(want) {
			t.Errorf("%s: %d machines, want %d", form, i, len(want))
		}
	}
}
