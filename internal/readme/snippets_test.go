package main

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The pages that continue the README.
const (
	peersPage = root + "/.github/PEERS.md"
	tourPage  = "tour/README.md"
)

// readme returns the text of the README between two headings.
func readme(t *testing.T, from, to string) string {
	t.Helper()
	text := read(t, root+"/README.md")
	i := strings.Index(text, "\n"+from+"\n")
	j := strings.Index(text, "\n"+to+"\n")
	if i < 0 || j < i {
		t.Fatalf("the README has no %q before %q", from, to)
	}
	return text[i:j]
}

// blocks returns the blocks of code in a language.
func blocks(text, language string) (all []string) {
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// shown returns code as shown in the README: without the checks of errors, with a tab less on
// each line, and without empty lines at both ends.
func shown(code string) string {
	code = regexp.MustCompile(`(?m)^\t+if err != nil \{\n\t+log\.Fatal\(err\)\n\t+\}\n`).ReplaceAllString(code, "")
	return strings.Trim(regexp.MustCompile(`(?m)^\t`).ReplaceAllString(code, ""), "\n") + "\n"
}

// outputs returns the expected output of an Example.
func outputs(text string) string {
	_, text, _ = strings.Cut(text, "// Output:")
	text, _, _ = strings.Cut(text, "\n}")
	return strings.TrimSpace(regexp.MustCompile(`(?m)^\t// ?`).ReplaceAllString(text, "")) + "\n"
}

func TestREADMEShowsTheProgram(t *testing.T) {
	got := blocks(read(t, root+"/README.md"), "go")
	if !slices.Contains(got, read(t, "main.go")) {
		t.Error("no Go block of README.md is internal/readme/main.go; copy it there")
	}
}

// TestREADMESize: readers reach the end of the README.
func TestREADMESize(t *testing.T) {
	if n := len(read(t, root+"/README.md")); n > 20_000 {
		t.Errorf("README.md has %d bytes, want at most 20000: move a part to another page", n)
	}
}

// TestREADMECommandsPrint: the commands in the first block of output print the lines below them,
// in this order. A line of … stands for other lines, and … at the end of a line for its end.
func TestREADMECommandsPrint(t *testing.T) {
	all := blocks(read(t, root+"/README.md"), "text")
	if len(all) == 0 {
		t.Fatal("no output")
	}
	calls := strings.Split("\n"+all[0], "\n$ ")[1:]
	if len(calls) != 2 {
		t.Fatalf("%d commands, want 2", len(calls))
	}
	for _, call := range calls {
		command, want, _ := strings.Cut(call, "\n")
		got := strings.Split(run(t, root, nil, "sh", "-c", command), "\n")
		n := 0
		for line := range strings.Lines(want) {
			line = strings.TrimSpace(line)
			start, cut := strings.CutSuffix(line, "…")
			if start == "" {
				continue
			}
			i := slices.IndexFunc(got, func(l string) bool {
				return l == line || cut && strings.HasPrefix(l, strings.TrimSpace(start))
			})
			if i < 0 {
				t.Errorf("%s does not print %q there", command, line)
				break
			}
			got = got[i+1:]
			n++
		}
		if n == 0 {
			t.Errorf("no output of %s", command)
		}
	}
}

// TestREADMEErrors: the error that the README shows is the output of an Example.
func TestREADMEErrors(t *testing.T) {
	here := readme(t, "### When it fails", "## Which package do I want?")
	text := read(t, "errors_test.go")
	_, text, _ = strings.Cut(text, "\t// README\n")
	code, _, _ := strings.Cut(text, "\t// Output:")
	if got, want := blocks(here, "go"), []string{shown(code)}; !slices.Equal(got, want) {
		t.Errorf("the README has %q, and the Example %q", got, want)
	}
	if got, want := blocks(here, "text"), []string{outputs(text)}; !slices.Equal(got, want) {
		t.Errorf("the README prints %q, and the Example %q", got, want)
	}
}

// TestREADMETour: the steps are equal to the program's, each is short enough for readers, and
// the README, or the page that continues it, has their output.
func TestREADMETour(t *testing.T) {
	here := readme(t, "## A tour in seven steps", "### When it fails")
	if n := len(blocks(here, "go")); n != 7 {
		t.Errorf("%d steps in the README, want 7", n)
	}
	here += read(t, tourPage)
	program := read(t, "tour/main.go")
	cluster := read(t, root+"/em/beam/models/tour_test.go")
	steps := regexp.MustCompile(`(?ms)^\t// \d+\. .*?(?:\n\n|^\}|^\t// Output)`)
	var want []string
	for _, s := range append(steps.FindAllString(program, -1), steps.FindString(cluster)) {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "}"), "\t// Output")
		want = append(want, shown(s))
	}
	got := blocks(here, "go")
	if len(got) != 11 || !slices.Equal(got, want) {
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("step %d is\n%swhere the program has\n%s", i+1, got[i], want[i])
			}
		}
		t.Fatalf("%d steps, where the program has %d", len(got), len(want))
	}
	for i, s := range got {
		if n := strings.Count(s, "\n"); n > 15 {
			t.Errorf("step %d has %d lines", i+1, n)
		}
	}
	if got, want := strings.Join(blocks(here, "text"), ""), outputs(read(t, "tour/main_test.go"))+outputs(cluster); got != want {
		t.Errorf("the pages say that the tour prints\n%swhere it prints\n%s", got, want)
	}
}

// TestREADMERing: the user-defined ring is the code of an Example.
func TestREADMERing(t *testing.T) {
	got := blocks(readme(t, "### Your own ring", "## Coming from another program"), "go")
	if len(got) != 1 || !strings.Contains(read(t, root+"/semiring/example_test.go"), got[0]) {
		t.Errorf("the ring is not in semiring/example_test.go: %q", got)
	}
}

// TestREADMEComparesWithPeers: the code next to other programs' is the code of the Examples of
// this package.
func TestREADMEComparesWithPeers(t *testing.T) {
	here := read(t, peersPage)
	if !strings.Contains(readme(t, "## Coming from another program", "## Compared with other programs"), "(.github/PEERS.md)") {
		t.Error("the README does not link to PEERS.md")
	}
	var want []string
	for _, part := range strings.Split(read(t, "peers_test.go"), "\t// README\n")[1:] {
		code, _, _ := strings.Cut(part, "\t// Output:")
		want = append(want, shown(code))
	}
	if got := blocks(here, "go"); len(got) < 6 || !slices.Equal(got, want) {
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("PEERS.md has\n%swhere the Example has\n%s", got[i], want[i])
			}
		}
		t.Fatalf("%d blocks, and %d Examples", len(got), len(want))
	}
}

// TestREADMECommands: the programs in the README and in PEERS.md have the flags that these use.
func TestREADMECommands(t *testing.T) {
	calls := regexp.MustCompile("go run \\./(examples/[a-z0-9]+)((?: [^\n`#]+)?)").FindAllStringSubmatch(read(t, root+"/README.md")+read(t, peersPage), -1)
	if len(calls) < 5 {
		t.Fatalf("%d commands", len(calls))
	}
	n := 0
	for _, call := range calls {
		usage := ""
		for _, flag := range regexp.MustCompile(` -([a-z0-9-]+)`).FindAllStringSubmatch(call[2], -1) {
			if usage == "" {
				usage = help(t, call[1])
			}
			if n++; !regexp.MustCompile(`(?m)^  -` + flag[1] + `\b`).MatchString(usage) {
				t.Errorf("%s has no flag -%s", call[1], flag[1])
			}
		}
	}
	if n == 0 {
		t.Error("no flags")
	}
}

// help returns the help of a program.
func help(t *testing.T, program string) string {
	t.Helper()
	cmd := exec.Command("go", "run", "./"+program, "-h")
	cmd.Dir = root
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, text)
	}
	return string(text)
}
