package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/linegrammar"
	"example.org/pathsum/internal/program"
)

// fold returns the part of each example, from n parts. The examples of a direction and kind are
// distributed in random order, evenly over the parts.
func fold(examples []grammars.Line, n int, src rand.Source) []int {
	random := rand.New(src)
	kinds := map[string][]int{}
	for i, x := range examples {
		key := x.Direction.String() + "\t" + x.Kind
		kinds[key] = append(kinds[key], i)
	}
	part, next := make([]int, len(examples)), 0
	for _, key := range slices.Sorted(maps.Keys(kinds)) {
		of := kinds[key]
		random.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		for _, i := range of {
			part[i] = next % n
			next++
		}
	}
	return part
}

// outcome has the numbers of lines of a direction and kind with the expected reading.
type outcome struct {
	Direction string `json:"direction"`
	Kind      string `json:"kind"`
	Lines     int    `json:"lines"`
	Uniform   int    `json:"uniform"` // with uniform probabilities of alternatives
	Default   int    `json:"default"` // with the probabilities of the grammar
	Trained   int    `json:"trained"` // with probabilities learnt from the other parts

	// The numbers of expected readings that were converted back to the line: by the trained
	// grammar alone, and with an n-gram model of the lines of the other parts.
	Backward int `json:"backward"`
	Channel  int `json:"channel"`
}

// validate counts the expected readings before and after training, in cross-validation: each
// part is read by grammars that were trained on the others.
func (e *experiment) validate(ctx context.Context, r *program.Run) error {
	examples, err := e.lines(r)
	if err != nil {
		return err
	}
	part := fold(examples, *e.folds, rand.NewPCG(*e.seed, 0))
	var all []*linegrammar.Grammar
	for _, d := range grammars.Directions {
		g, err := program.Interruptible(ctx, func() (*linegrammar.Grammar, error) { return grammars.Load(d, nil) })
		if err != nil {
			return err
		}
		all = append(all, g)
	}
	outcomes := map[[2]string]*outcome{}
	progress := r.Progress("cross-validation", *e.folds*len(grammars.Directions))
	defer progress.Done()
	for f := range *e.folds {
		var known, held []grammars.Line
		for i, x := range examples {
			if part[i] == f {
				held = append(held, x)
			} else {
				known = append(known, x)
			}
		}
		for i, d := range grammars.Directions {
			if err := e.validateOn(ctx, d, all[i], known, held, outcomes); err != nil {
				return err
			}
			progress.Step("")
		}
	}
	table := slices.SortedFunc(maps.Values(outcomes), func(a, b *outcome) int {
		return strings.Compare(a.Direction+"\t"+a.Kind, b.Direction+"\t"+b.Kind)
	})
	printOutcomes(r.Out, table)
	r.Set("outcomes", table)
	return nil
}

// validateOn adds the counts of the held-out lines of a direction to outcomes.
func (e *experiment) validateOn(ctx context.Context, d grammars.Direction, g *linegrammar.Grammar, known, held []grammars.Line, outcomes map[[2]string]*outcome) error {
	lessons := grammars.Of(d, known)
	if err := g.AddContexts(nil); err != nil {
		return err
	}
	if err := g.Use(g.Params.Start()); err != nil {
		return err
	}
	count := func(right func(*outcome) *int) error {
		for _, x := range held {
			if x.Direction != d {
				continue
			}
			key := [2]string{d.String(), x.Kind}
			if outcomes[key] == nil {
				outcomes[key] = &outcome{Direction: d.String(), Kind: x.Kind}
			}
			readings, err := g.Apply(x.Input, 1)
			if err != nil {
				return fmt.Errorf("%s: %w", x.Where, err)
			}
			if readings[0].Text == x.Expected {
				*right(outcomes[key])++
			}
		}
		return ctx.Err()
	}
	if err := count(func(o *outcome) *int { return &o.Default }); err != nil {
		return err
	}
	if err := g.Use(g.Uniform()); err != nil {
		return err
	}
	if err := count(func(o *outcome) *int { return &o.Uniform }); err != nil {
		return err
	}
	if err := g.AddContexts(linegrammar.ContextWords(lessons, *e.words)); err != nil {
		return err
	}
	if _, err := g.Train(ctx, lessons, em.Options{Iterations: *e.iterations, Workers: *e.workers}); err != nil {
		return err
	}
	if err := count(func(o *outcome) *int { return &o.Trained }); err != nil {
		return err
	}
	c, err := newChannel(g, inputs(lessons))
	if err != nil {
		return err
	}
	for _, x := range held {
		if x.Direction != d {
			continue
		}
		o := outcomes[[2]string{d.String(), x.Kind}]
		o.Lines++
		// If the grammar cannot write a line, Backward returns an error, which counts as wrong.
		if text, err := c.Backward(x.Expected); err == nil && text == x.Input {
			o.Backward++
		}
		if texts, err := c.Apply(x.Expected, 1); err == nil && texts[0].Text == x.Input {
			o.Channel++
		}
	}
	return ctx.Err()
}

// inputs returns the inputs of examples.
func inputs(examples []linegrammar.Example) []string {
	var all []string
	for _, x := range examples {
		all = append(all, x.Input)
	}
	return all
}

// printOutcomes prints a table of outcomes and their sums.
func printOutcomes(w io.Writer, all []*outcome) {
	rows := [][]string{{"direction", "kind", "lines", "uniform", "default", "trained", "backward", "channel"}}
	row := func(o outcome) []string {
		return []string{o.Direction, o.Kind, fmt.Sprint(o.Lines), fmt.Sprint(o.Uniform), fmt.Sprint(o.Default), fmt.Sprint(o.Trained), fmt.Sprint(o.Backward), fmt.Sprint(o.Channel)}
	}
	for _, d := range grammars.Directions {
		sum := outcome{Direction: d.String(), Kind: "all"}
		for _, o := range all {
			if o.Direction != sum.Direction {
				continue
			}
			rows = append(rows, row(*o))
			sum.Lines += o.Lines
			sum.Uniform += o.Uniform
			sum.Default += o.Default
			sum.Trained += o.Trained
			sum.Backward += o.Backward
			sum.Channel += o.Channel
		}
		rows = append(rows, row(sum))
	}
	program.WriteTable(w, rows)
}
