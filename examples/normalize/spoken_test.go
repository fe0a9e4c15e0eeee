package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/trials"
)

// The grammars' rules for numbers, again as functions.

var (
	small = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	ties  = strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	large = strings.Fields("- thousand million billion trillion quadrillion quintillion sextillion septillion")
)

// below1000 speaks a number from 1 to 999.
func below1000(n int) string {
	var words []string
	if n >= 100 {
		words = append(words, small[n/100], "hundred")
		n %= 100
	}
	if n >= 20 {
		words = append(words, ties[n/10])
		n %= 10
	}
	if n > 0 {
		words = append(words, small[n])
	}
	return strings.Join(words, " ")
}

// say speaks a number given by its groups of three digits, the last first.
func say(groups []int) string {
	var words []string
	for i := len(groups) - 1; i >= 0; i-- {
		if groups[i] == 0 {
			continue
		}
		words = append(words, below1000(groups[i]))
		if i > 0 {
			words = append(words, large[i])
		}
	}
	return strings.Join(words, " ")
}

// digits writes the number that say speaks.
func digits(groups []int) string {
	var b strings.Builder
	for i := len(groups) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "%03d", groups[i])
	}
	return strings.TrimLeft(b.String(), "0")
}

// number returns a random number of at most most groups of digits, many of which contain zeros.
func number(r *rand.Rand, most int) []int {
	groups := make([]int, 1+r.IntN(most))
	for i := range groups {
		switch r.IntN(4) {
		case 0:
			groups[i] = r.IntN(13)
		case 1:
			groups[i] = 100 * r.IntN(10)
		default:
			groups[i] = r.IntN(1000)
		}
	}
	groups[len(groups)-1] = max(1, groups[len(groups)-1])
	return groups
}

// wantReading checks the best reading of a spoken text.
func wantReading(t *testing.T, spoken, written string) {
	t.Helper()
	readings, err := grammarOf(t, grammars.SpokenWritten).Apply(spoken, 1)
	if err != nil {
		t.Fatal(err)
	}
	if readings[0].Text != written {
		t.Errorf("%s\nis read as %s\nwant       %s", spoken, readings[0].Text, written)
	}
}

// written returns the written form of a number by itself: a word up to twelve, and a word for a
// large unit that it is a multiple of.
func written(groups []int) string {
	n := len(groups) - 1
	round := n >= 2
	for _, g := range groups[:n] {
		round = round && g == 0
	}
	switch {
	case n == 0 && groups[0] <= 12:
		return small[groups[0]]
	case round:
		return fmt.Sprint(groups[n], " ", large[n])
	}
	return digits(groups)
}

// spelled speaks the digits of a number one by one.
func spelled(digits string) string {
	var words []string
	for _, d := range digits {
		words = append(words, small[d-'0'])
	}
	return strings.Join(words, " ")
}

// Random numbers in each kind of item, spoken by the functions above, are converted back.
func TestSpokenAtRandom(t *testing.T) {
	months := strings.Fields("january february march april may june july august september october november december")
	ordinal := strings.NewReplacer("one.", "first.", "two.", "second.", "three.", "third.", "five.", "fifth.", "eight.", "eighth.",
		"nine.", "ninth.", "twelve.", "twelfth.", "ty.", "tieth.", ".", "th.")
	nth := func(groups []int) string { return strings.TrimSuffix(ordinal.Replace(say(groups)+"."), ".") }
	suffix := func(n int) string {
		switch {
		case n/10%10 == 1 || n%10 == 0 || n%10 > 3:
			return "th"
		}
		return []string{"st", "nd", "rd"}[n%10-1]
	}
	for seed := range trials.Seeds(40) {
		r := rand.New(rand.NewPCG(seed, 1))

		n := number(r, 8)
		wantReading(t, say(n), written(n))

		n = number(r, 5)
		wantReading(t, nth(n), digits(n)+suffix(n[0]))

		n = number(r, 2) // whole millions have another written form
		wantReading(t, "minus "+say(n)+" square kilometers", "-"+digits(n)+" km²")
		fraction := fmt.Sprint(r.IntN(100000))
		wantReading(t, say(n)+" point "+spelled(fraction)+" milligrams", digits(n)+"."+fraction+" mg")
		cents := 1 + r.IntN(99)
		wantReading(t, fmt.Sprintf("%s dollars and %s cents", say(n), below1000(cents)), fmt.Sprintf("$%s.%02d", digits(n), cents))

		hour, minute := 1+r.IntN(12), 1+r.IntN(59)
		past := below1000(minute)
		if minute < 10 {
			past = "oh " + past
		}
		wantReading(t, fmt.Sprintf("at %s %s p m", small[hour], past), fmt.Sprintf("at %02d:%02d p.m.", hour, minute))
		wantReading(t, fmt.Sprintf("%s minutes to %s", below1000(60-minute), small[hour%12+1]), fmt.Sprintf("%02d:%02d", hour, minute))

		month, day, century, year := months[r.IntN(12)], 1+r.IntN(31), 11+r.IntN(10), 10+r.IntN(90)
		wantReading(t, fmt.Sprintf("%s %s %s %s", month, nth([]int{day}), below1000(century), below1000(year)),
			fmt.Sprintf("%s %d %d%d", month, day, century, year))

		phone := fmt.Sprintf("%010d", r.Int64N(1e10))
		wantReading(t, spelled(phone), phone[:3]+"-"+phone[3:6]+"-"+phone[6:])
	}
}

// Items have the same reading among plain words as alone.
func TestSpokenAmongWords(t *testing.T) {
	examples, err := grammars.Tests()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range examples {
		if x.Direction == grammars.SpokenWritten {
			wantReading(t, "hello "+x.Input+" there", "hello "+x.Expected+" there")
		}
	}
}
