package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
)

// TestExport: files written for other tools give the same answers as the model, the ARPA file
// in this program and the machine in OpenFst's tools.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	args := []string{"-quiet", "-order", "4", "-discount", "1", "-normalize", "nfc", "-save", file("model"),
		"-arpa", file("arpa"), "-openfst", file("fst"), "-phonetisaurus", file("clusters")}
	if status, _, stderr := run(t, "", args...); status != 0 {
		t.Fatal(stderr)
	}
	const words = "queso\nguerra\nllave\ncañón\n"
	var answers []string
	for _, model := range []string{file("model"), file("arpa")} {
		status, out, stderr := run(t, words, "-quiet", "-load", model, "-apply", "-", "-n", "3", "-scores")
		if status != 0 || stderr != "" {
			t.Fatalf("%s: status %d, %s", model, status, stderr)
		}
		answers = append(answers, out)
	}
	if answers[0] != answers[1] {
		t.Errorf("the model answers\n%s\nand what was exported\n%s", answers[0], answers[1])
	}
	status, _, stderr := run(t, "", "-quiet", "-load", file("arpa"), "-arpa", file("again"))
	if status != 0 {
		t.Fatal(stderr)
	}
	if a, b := sorted(t, file("arpa")), sorted(t, file("again")); a != b {
		t.Error("the file in the form of ARPA is another one after it was read")
	}
	if _, err := exec.LookPath("fstcompose"); err != nil {
		t.Skip(err)
	}
	const decode = `printf '0 1 q\n1 2 u\n2 3 e\n3 4 s\n4 5 o\n5\n' >word
fstsymbols --save_isymbols=letters fst >unused
fstcompile --acceptor --isymbols=letters --keep_isymbols word | fstarcsort --sort_type=olabel |
	fstcompose --fst_compat_symbols=false - fst | fstshortestpath | fstproject --project_type=output |
	fstrmepsilon | fsttopsort | fstprint | cut -f 3`
	cmd := exec.Command("sh", "-euc", decode)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != "k e s o" {
		t.Errorf("OpenFst reads queso as %q, want k e s o: %v", got, err)
	}
}

// sorted returns the lines of a file in order.
func sorted(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestExportErrors(t *testing.T) {
	data := programtest.File(t, "data.tsv", strings.Repeat("ab\tx y\nb\ty\nba\ty x\n", 20))
	out := filepath.Join(t.TempDir(), "out")
	for _, x := range []struct {
		status int
		says   string
		args   string
	}{
		{2, "want a single joint model", "-direction both -arpa " + out},
		{2, "want a single joint model", "-direction backward -openfst " + out},
		{2, "-openfst: has no effect with -conditional", "-conditional -openfst " + out},
		{1, "no such file", "-phonetisaurus " + out + "/x"},
	} {
		status, _, stderr := run(t, "", append(strings.Fields(x.args), "-quiet", "-data", data)...)
		if status != x.status || !strings.Contains(stderr, x.says) {
			t.Errorf("%s: status %d, %q, want %d, %q", x.args, status, stderr, x.status, x.says)
		}
	}
	if status, _, stderr := run(t, "", "-quiet", "-data", data, "-direction", "backward", "-save", out); status != 0 {
		t.Fatal(stderr)
	}
	if status, _, stderr := run(t, "", "-quiet", "-load", out, "-arpa", out+".arpa"); status != 1 || !strings.Contains(stderr, "want a single joint model") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
