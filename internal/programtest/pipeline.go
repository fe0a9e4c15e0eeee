package programtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/text"
)

// asProgram is the environment variable that makes a test binary run the program under test.
const asProgram = "PATHSUM_TEST_AS_PROGRAM"

// Main must be called by TestMain of a program whose test calls Shell or Check; main is the
// program's own function.
func Main(m *testing.M, main func()) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Shell runs a script in an empty folder, in which name is a command that runs the program, and
// returns its standard output and standard error. A command that fails ends the script, and the
// test.
func Shell(t testing.TB, name, script string) (stdout, stderr string) {
	t.Helper()
	folder := t.TempDir()
	shellIn(t, folder, name, script, &stdout, &stderr)
	return stdout, stderr
}

func shellIn(t testing.TB, folder, name, script string, stdout, stderr *string) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell: ", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), shell, "-eu", "-c", fmt.Sprintf("%s() { %s=1 %q \"$@\"; }\n%s", name, asProgram, self, script))
	command.Dir = folder
	var out, errs strings.Builder
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		t.Fatalf("%s\n%v\n%s%s", script, err, &out, &errs)
	}
	*stdout, *stderr = out.String(), errs.String()
}

// pipeline is a use of a program with a name.
type pipeline struct {
	Use
	Name string
}

// Pipes trains the program with a name, saves the model, loads it and applies it to dirty lines
// through pipes. It asserts that each input line has an output line, and that clean lines get
// the same answers as in a clean file. A line that cannot be answered has an empty record, and
// a message on standard error with its number. Standard output has the answers alone, and the
// object of -json ends standard error. It returns the answers to Lines.
//
// It also asserts that some models end the program with a one-line message and no output: a
// model of another program, a truncated model, a model without a use, and a model with missing
// input.
func Pipes(t *testing.T, name string, u Use) []string {
	t.Helper()
	p := pipeline{u, name}
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i+1 < len(p.Files); i += 2 {
		write(p.Files[i], p.Files[i+1])
	}
	write("clean", strings.Join(p.Lines, "\n")+"\n")
	// a byte order mark, line ends of two kinds, and no end of the last line
	dirty := "\ufeff" + strings.Join(p.Lines, "\r\n") + "\r\n" +
		"\n" + // empty
		"\xff\xfe\n" + // invalid UTF-8
		strings.Repeat("x", text.MaxLine+1) + "\n" +
		p.Lines[0]
	write("dirty", dirty)
	var clean, out, trouble string
	shellIn(t, folder, p.Name, fmt.Sprintf("%[1]s -quiet %[2]s -save model >report\n%[1]s -quiet -load model %[3]s -apply clean", p.Name, p.Train, p.Apply), &clean, &trouble)
	p.answersAlone(t, folder, clean)
	p.refuses(t, folder)
	answers := strings.Split(strings.TrimSuffix(clean, "\n"), "\n")
	if len(answers) != len(p.Lines) || trouble != "" {
		t.Fatalf("%d lines, %d answers:\n%s%s", len(p.Lines), len(answers), clean, trouble)
	}
	for i, a := range answers {
		if a == "" {
			t.Errorf("%q has no answer", p.Lines[i])
		}
	}
	shellIn(t, folder, p.Name, fmt.Sprintf("cat dirty | %[1]s -quiet -load model %[2]s -apply - | cat", p.Name, p.Apply), &out, &trouble)
	got := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	n := len(p.Lines)
	if len(got) != n+4 {
		t.Fatalf("%d lines, %d records:\n%.1000s%s", n+4, len(got), out, trouble)
	}
	for i, want := range append(append([]string{}, answers...), "", "", "", answers[0]) {
		if i != n && got[i] != want { // the program defines the answer to an empty line
			t.Errorf("line %d: %q, want %q", i+1, got[i], want)
		}
	}
	for _, line := range []int{n + 2, n + 3} {
		if !strings.Contains(trouble, fmt.Sprintf("standard input:%d: ", line)) {
			t.Errorf("nothing is said of line %d:\n%s", line, trouble)
		}
	}
	return answers
}

// answersAlone asserts that -json does not change the answers to the clean lines, and that the
// object is the last line of standard error. The folder contains the model.
func (p pipeline) answersAlone(t testing.TB, folder, answers string) {
	t.Helper()
	for _, quiet := range []string{"", "-quiet "} {
		var out, trouble string
		shellIn(t, folder, p.Name, fmt.Sprintf("%s -json %s-load model %s -apply clean", p.Name, quiet, p.Apply), &out, &trouble)
		if out != answers {
			t.Errorf("with -json the answers are %q, want %q", out, answers)
		}
		if r := Report[struct{ Program string }](t, trouble); r.Program != p.Name {
			t.Errorf("the object is of program %q", r.Program)
		}
	}
}

// refuses asserts the program's messages for invalid models. The folder contains the model.
func (p pipeline) refuses(t testing.TB, folder string) {
	t.Helper()
	model, err := os.ReadFile(filepath.Join(folder, "model"))
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string][]byte{"half": model[:len(model)/2], "nothing": nil, "other": []byte("pathsum other 1\n{\"Format\":\"pathsum other 1\"}\n")}
	for name, text := range bad {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		args   string
		status int
		want   string // in the line
	}{
		{"-load half " + p.Apply + " -apply clean", 1, "half: "},
		{"-load nothing " + p.Apply + " -apply clean", 1, "nothing: "},
		{"-load other " + p.Apply + " -apply clean", 1, "other: "},
		{"-load none " + p.Apply + " -apply clean", 1, "none: no such file"},
		{"-load model " + p.Apply + " -apply none", 1, "none: no such file"},
		{p.Train + " -apply none", 1, "none: no such file"},
		{"-load model", 2, "as well"},
	} {
		var out, trouble string
		shellIn(t, folder, p.Name, fmt.Sprintf("status=0; %s %s -o refused || status=$?; echo $status; ls refused* 2>/dev/null || true", p.Name, x.args), &out, &trouble)
		if out != fmt.Sprintln(x.status) || strings.Count(trouble, "\n") != 1 || !strings.HasPrefix(trouble, p.Name+": ") || !strings.Contains(trouble, x.want) {
			t.Errorf("%s %s: status and output %q, %q, want %d and %q", p.Name, x.args, out, trouble, x.status, x.want)
		}
	}
}
