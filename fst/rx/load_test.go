package rx_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
)

// A text of definitions, trained: how often does a stem continue, and by what is it followed?
func ExampleLoad() {
	params := em.NewParams()
	words, err := rx.Load(params.Space(), `
word = (a | b)*_more {end: none = () | s = "s"};`)
	if err != nil {
		log.Fatal(err)
	}
	words.Groups = em.Alternatives(params, nil)
	word, err := words.Machine("word")
	if err != nil {
		log.Fatal(err)
	}
	data := cascade.Inputs("ab", "as", "aab", "bs", "b")
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{word}}.Likelihood(data)
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(result.Theta) {
		fmt.Printf("%s %.3f\n", name, p)
	}
	// Output:
	// more[heads] 0.615
	// more[tails] 0.385
	// end[none] 0.600
	// end[s] 0.400
}

// What Load and Machine do is what their parts do one by one.
func TestLoad(t *testing.T) {
	c, err := rx.Load(semiring.Tropical{}, `number = "three":3 | "ten":"10" | "ten":1 0;`)
	if err != nil {
		t.Fatal(err)
	}
	number, err := c.Machine("number")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"three": "3", "ten": "10"} {
		n := 0
		for out, err := range fst.ApplyText(number, text, nil) {
			if n++; err != nil || out.Text != want {
				t.Errorf("%s: %q, %v, want %q", text, out.Text, err, want)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d answers", text, n)
		}
	}
	if _, err := c.Machine("name"); !errors.Is(err, rx.ErrName) {
		t.Errorf("no such definition: %v", err)
	}
	for text, want := range map[string]error{`x = (;`: rx.ErrSyntax, `x = a; x = b;`: rx.ErrName} {
		if _, err := rx.Load(semiring.Real{}, text); !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A text crossed with the first of several symbols is a mistake.
func TestCrossOfText(t *testing.T) {
	for text, want := range map[string]bool{
		`"ten":10`: false, `"ten":1a`: false, `"t":10`: false,
		`"ten":1 0`: true, `"ten":"10"`: true, `("ten":1)0`: true, `ten:10`: false, `te n:1 0`: true, `"ten":1`: true, `"ten":1*`: true,
		`"ten":@x y`: true, `"ten":[ab]c`: true,
	} {
		if _, err := rx.Parse(text); (err == nil) != want || err != nil && !errors.Is(err, rx.ErrSyntax) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A group is one group in the machines of two compilers, and cannot have other alternatives there.
func TestGroupsOfTwoCompilers(t *testing.T) {
	params := em.NewParams()
	for i, text := range []string{`x = {key: hit = a | missed = ()};`, `x = {key: hit = b | missed = c}*_more;`} {
		c, err := rx.Load(params.Space(), text)
		if err != nil {
			t.Fatal(err)
		}
		c.Groups = em.Alternatives(params, nil)
		if _, err := c.Machine("x"); err != nil {
			t.Fatal(err)
		}
		if got, want := len(params.Groups()), i+1; got != want { // the second has a coin
			t.Errorf("%d groups after %d texts, want %d", got, i+1, want)
		}
	}
	for _, text := range []string{`x = {key: hit = b | other = c};`, `x = {key: hit = b | missed = c | other = d};`} {
		c, err := rx.Load(params.Space(), text)
		if err != nil {
			t.Fatal(err)
		}
		c.Groups = em.Alternatives(params, nil)
		if _, err := c.Machine("x"); !errors.Is(err, em.ErrParameter) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
