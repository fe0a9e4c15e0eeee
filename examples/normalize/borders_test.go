package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode"

	"example.org/pathsum/internal/grammars"
)

// count returns n, or the greater number if PATHSUM_LONG is set.
func count(n, long int) uint64 {
	if os.Getenv("PATHSUM_LONG") != "" {
		return uint64(long)
	}
	return uint64(n)
}

// verbalizer has the words that the rules of a direction write: quoted words, and words in
// tables. Number words and units are composed of parts there, so they are listed here.
func verbalizer(t testing.TB, d grammars.Direction) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	add := func(text string) {
		for _, w := range letterRuns(text) {
			words[w] = true
		}
	}
	quoted := regexp.MustCompile(`"([^"\\]|\\.)*"`)
	parts := map[string]bool{"th": true, "ieth": true, "teen": true, "t": true, "illion": true, "oo": true, "ee": true, "m": true, "b": true, "tr": true, "quadr": true, "quint": true, "sext": true, "sept": true, "f": true, "he": true}
	for _, folder := range []string{d.Folder(), "shared"} {
		all, err := fs.Glob(grammars.Files, path.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			text, err := fs.ReadFile(grammars.Files, name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				switch {
				case strings.HasPrefix(line, "#"):
				case strings.HasSuffix(name, ".rx"):
					for _, q := range quoted.FindAllString(line, -1) {
						add(q)
					}
				default:
					if _, err := fs.Stat(grammars.Files, strings.TrimSuffix(name, ".tsv")+".rx"); err == nil {
						continue // tests
					}
					columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
					last := columns[len(columns)-1]
					add(last)
					add(strings.ToUpper(last[:1]) + last[1:]) // a title at the beginning
				}
			}
		}
	}
	for part := range parts {
		delete(words, part)
	}
	prefixes := strings.Fields("kilo mega giga tera peta milli centi deci micro nano pico hecto")
	for _, w := range strings.Fields("meter gram liter watt volt ampere hertz joule newton pascal byte bit calorie farad second mole electron bar lumen lux candela siemens tesla weber becquerel sievert gray decibel parsec ton pixel ohm") {
		for _, p := range prefixes {
			words[p+w] = true
		}
	}
	for _, symbol := range strings.Fields("m g l W Wh V A hz J N Pa b B t pc") {
		for _, p := range strings.Fields("k M G m c d da h n p f z e y t g ki mi gi ti") {
			words[p+symbol], words["μ"+symbol] = true, true
		}
	}
	for _, scale := range large {
		words[scale] = true
	}
	for _, n := range append(append([]string{"hundred"}, large...), append(small, ties...)...) {
		words[ranked(n)] = true
	}
	for w := range words {
		for _, ending := range []string{"s", "es"} {
			words[w+ending] = true
		}
	}
	words["centuries"] = true
	return words
}

// letterRuns returns the maximal runs of letters in a text.
func letterRuns(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// ranked returns the ordinal of a number in words.
func ranked(n string) string {
	for _, x := range [][2]string{{"one", "first"}, {"two", "second"}, {"three", "third"}, {"five", "fifth"}, {"eight", "eighth"}, {"nine", "ninth"}, {"twelve", "twelfth"}} {
		if n == x[0] || strings.HasSuffix(n, " "+x[0]) {
			return strings.TrimSuffix(n, x[0]) + x[1]
		}
	}
	if stem, ok := strings.CutSuffix(n, "y"); ok {
		return stem + "ieth"
	}
	return n + "th"
}

// glued returns a word of a reading that is neither a word of the verbalizer nor copied as a
// whole: in the case of the input or in small letters, or letter by letter between periods.
func glued(words map[string]bool, input, reading string) string {
	copied := map[string]bool{}
	for _, text := range []string{input, strings.ToLower(input), strings.ToUpper(input), strings.ReplaceAll(input, ".", "")} {
		for _, w := range letterRuns(text) {
			copied[w] = true
		}
	}
	for _, w := range letterRuns(reading) {
		if !words[w] && !copied[w] {
			return w
		}
	}
	return ""
}

// digitWords are the digits of words, without zeros.
var digitWords = func() map[string]string {
	of := map[string]string{}
	say := func(n string, digits string) {
		for _, w := range []string{n, ranked(n)} {
			of[w], of[w+"s"] = digits, digits
		}
	}
	for i := range 10 {
		if i > 0 {
			say(small[i], fmt.Sprint(i))
			if i > 1 {
				say(ties[i], fmt.Sprint(i))
				of[strings.TrimSuffix(ties[i], "y")+"ies"] = fmt.Sprint(i)
			}
			say(small[10+i], fmt.Sprint("1", i))
		}
	}
	say("ten", "1")
	return of
}()

// possible are the digits that words may or may not denote: a thousand is 1000, and a second
// 2nd.
var possible = map[string]string{
	"thousand": "1", "second": "2", "seconds": "2", "half": "2", "halves": "2", "quarter": "4", "quarters": "4",
	"squared": "2", "square": "2", "cubed": "3", "cubic": "3", "one": "1",
	"january": "1", "february": "2", "march": "3", "april": "4", "may": "5", "june": "6", "july": "7", "august": "8",
	"september": "9", "october": "1", "november": "11", "december": "12",
}

// digitCount counts the certain and the possible digits of a text.
func digitCount(text string) (certain, more [10]int) {
	for _, r := range text {
		if '0' < r && r <= '9' {
			certain[r-'0']++
		}
	}
	for _, w := range letterRuns(text) {
		maybe, ok := possible[w]
		for _, r := range maybe {
			more[r-'0']++
		}
		if !ok {
			for _, r := range digitWords[w] {
				certain[r-'0']++
			}
		}
	}
	return certain, more
}

// unaccounted reports whether a digit of the input, other than 0, is missing in the reading or
// occurs twice.
func unaccounted(input, reading string) bool {
	in, inMore := digitCount(input)
	out, outMore := digitCount(reading)
	for d := range in {
		if in[d]+inMore[d] < out[d] || out[d]+outMore[d] < in[d] {
			return true
		}
	}
	return false
}

// checkBorders checks the eight best readings of random lines, in both halves of the work at once.
func checkBorders(t *testing.T, d grammars.Direction, n uint64, line func(r *rand.Rand) string, check func(input, reading string) string) {
	t.Helper()
	g := grammarOf(t, d)
	const workers = 2
	var wait sync.WaitGroup
	for w := range uint64(workers) {
		wait.Go(func() {
			for seed := w; seed < n; seed += workers {
				input := line(rand.New(rand.NewPCG(seed, 3)))
				readings, err := g.Apply(input, 8)
				if err != nil {
					t.Errorf("%q: %v", input, err)
					return
				}
				for _, x := range readings {
					if fault := check(input, x.Text); fault != "" {
						t.Errorf("%q is read as %q: %s", input, x.Text, fault)
					}
				}
			}
		})
	}
	wait.Wait()
}

// For random sequences of digits, letters and separators, readings never join words, and
// contain each digit once. The letters are not Roman numbers.
func TestBordersAtRandom(t *testing.T) {
	words := verbalizer(t, grammars.WrittenSpoken)
	const digits, letters, separators = "0123456789", "abefghkmnopstyzABEFGHKNPSTZ", "-/.,:'’ $%€()&+=–#\"*"
	line := func(r *rand.Rand) string {
		var b strings.Builder
		for range 2 + r.IntN(11) {
			set := []rune(digits)
			switch r.IntN(7) {
			case 0, 1:
				set = []rune(separators)
			case 2:
				set = []rune(letters)
			}
			b.WriteRune(set[r.IntN(len(set))])
		}
		return b.String()
	}
	checkBorders(t, grammars.WrittenSpoken, count(200, 100_000), line, func(input, reading string) string {
		if w := glued(words, input, reading); w != "" {
			return fmt.Sprintf("%s is not a word", w)
		}
		if unaccounted(input, reading) {
			return "its digits are others"
		}
		return ""
	})
}

// deformed returns a line with up to three characters dropped, doubled, exchanged or inserted.
func deformed(r *rand.Rand, line string) string {
	text := []rune(line)
	const more = "0123456789 -/.,:$%aAsSxX'’"
	for range 1 + r.IntN(3) {
		i := r.IntN(len(text) + 1)
		c := rune(more[r.IntN(len("0123456789 -/.,:$%aAsSxX'"))])
		switch at := min(i, len(text)-1); {
		case len(text) == 0 || r.IntN(3) == 0:
			text = append(text[:i], append([]rune{c}, text[i:]...)...)
		case r.IntN(2) == 0:
			text[at] = c
		default:
			text = append(text[:at], text[at+1:]...)
		}
	}
	return string(text)
}

// The same holds for deformed lines.
func TestBordersDeformed(t *testing.T) {
	all, err := grammars.Tests()
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, lines(t)...)
	for _, d := range grammars.Directions {
		words := verbalizer(t, d)
		var inputs []string
		for _, x := range all {
			if x.Direction == d && len(x.Input) < 60 {
				inputs = append(inputs, x.Input)
			}
		}
		line := func(r *rand.Rand) string { return deformed(r, inputs[r.IntN(len(inputs))]) }
		checkBorders(t, d, count(150, 40_000), line, func(input, reading string) string {
			w := glued(words, input, reading)
			if w == "" || d == grammars.SpokenWritten && letterByLetter(input, w) {
				return ""
			}
			return fmt.Sprintf("%s is not a word", w)
		})
	}
}

// letterByLetter reports whether a word occurs in the input with blanks between its letters, in
// any case, as in an address spelt letter by letter.
func letterByLetter(input, word string) bool {
	together := strings.ToLower(strings.Join(letterRuns(input), ""))
	return strings.Contains(together, strings.ToLower(word))
}

// The checks find faults.
func TestBorderChecks(t *testing.T) {
	words := verbalizer(t, grammars.WrittenSpoken)
	for _, x := range []struct{ input, reading, word string }{
		{"0530", "zerofive hundred and thirty", "zerofive"},
		{"April 29th’s", "the twenty ninth of aprilth’s", "aprilth"},
		{"$5million", "five million dollarsillion", "dollarsillion"},
		{"4.4x", "four point fourx", "fourx"},
		{"MP3, Jan. 4 km", "MP three, the fourth of january kilometers", ""},
	} {
		if w := glued(words, x.input, x.reading); w != x.word {
			t.Errorf("%q is not a word of %q, want %q", w, x.reading, x.word)
		}
	}
	for _, x := range []struct {
		input, reading string
		want           bool
	}{
		{"12", "one", true}, {"12", "twelve", false}, {"12", "twelve two", true}, {"1002", "thousand and two", false},
		{"2 s", "two seconds", false}, {"3s", "three seconds", false}, {"1/2", "one half", false}, {"45", "forty", true},
	} {
		if got := unaccounted(x.input, x.reading); got != x.want {
			t.Errorf("%s, %s: digits unaccounted for: %t, want %t", x.input, x.reading, got, x.want)
		}
	}
}
