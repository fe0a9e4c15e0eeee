package fstio_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/trials"
)

// extended has the tools load those extensions of OpenFst that know positions of 8, 16
// and 64 bits, of the version that the tools are linked with.
func extended(t *testing.T) {
	t.Helper()
	tool(t, []byte("0\n"), "fstcompile") // or skip
	path, err := exec.LookPath("fstcompile")
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(string(tool(t, nil, "ldd", path)), "libfst.so")
	version, _, _ = strings.Cut(version, " ")
	t.Setenv("LD_PRELOAD", fmt.Sprintf("libfstcompact.so%s libfstconst.so%[1]s", version))
}

// Whatever OpenFst converts a machine to, aligned or not, is read as the machine
// before; and what the library writes in the same form, OpenFst converts back to it.
func TestOpenFstConverts(t *testing.T) {
	extended(t)
	dir := t.TempDir()
	symbols := fst.NewSymbols("a", "ß", "c")
	var table bytes.Buffer
	if err := errors.Join(fstio.WriteSymbols(&table, symbols), os.WriteFile(dir+"/symbols", table.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	for i := range trials.Seeds(15) {
		forms := examples(random(i, 3, i%2 == 0))
		x := forms[7*i%uint64(len(forms))] // one after the other, and each some time
		o := new(fstio.Options)
		args := []string{"--arc_type=" + string(x.form.Arc)}
		if i%3 == 0 {
			o.In, o.Out = symbols, symbols
			args = append(args, "--isymbols="+dir+"/symbols", "--osymbols="+dir+"/symbols", "--keep_isymbols", "--keep_osymbols")
		}
		vector := compile(t, "vector", x.machine, o, args...)
		machine := must(fstio.ReadBinaryFile(vector, tropical))(t)
		to := "--fst_type=vector"
		if x.form.Container != "" {
			to = "--fst_type=" + string(x.form.Container)
		}
		tool(t, nil, "fstconvert", to, vector, dir+"/packed")
		tool(t, nil, "fstconvert", to, "--fst_align", vector, dir+"/aligned")
		if err := os.WriteFile(dir+"/ours", writeBinary(t, machine, &x.form), 0o600); err != nil {
			t.Fatal(err)
		}
		tool(t, nil, "fstconvert", dir+"/ours", dir+"/back")
		for _, file := range []string{"packed", "aligned", "back"} {
			g := must(fstio.ReadBinaryFile(dir+"/"+file, tropical))(t)
			if !g.InSymbols().Equal(o.In) || !g.OutSymbols().Equal(o.Out) {
				t.Errorf("seed %d, %v, %s: symbols changed", i, x.form, file)
			}
			if got, want := write(t, g, nil), write(t, machine, nil); got != want {
				t.Fatalf("seed %d, %v, %s: read\n%s, want\n%s", i, x.form, file, got, want)
			}
		}
	}
}

// Archives of strings contain compact machines.
func TestOpenFstStrings(t *testing.T) {
	dir := t.TempDir()
	lines := []string{"ab", "", "cde"}
	if err := os.WriteFile(dir+"/text", []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, form := range []fstio.Archive{fstio.Table, fstio.List} {
		tool(t, nil, "farcompilestrings", "--fst_type=compact", "--token_type=byte", "--far_type="+string(form), dir+"/text", dir+"/far")
		i := 0
		for e, err := range fstio.ReadArchiveFile(dir+"/far", tropical) {
			if err != nil {
				t.Fatal(err)
			}
			if want := fst.FromString(tropical, fst.RuneLabels(lines[i])); !slices.Equal(e.FST.In(), want.In()) || e.FST.NumStates() != want.NumStates() {
				t.Errorf("%s: %s is read as %v", form, e.Key, e.FST.In())
			}
			i++
		}
		if i != len(lines) {
			t.Errorf("%s: %d strings, want %d", form, i, len(lines))
		}
	}
}
