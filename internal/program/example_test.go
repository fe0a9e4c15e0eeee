package program_test

import (
	"context"
	"fmt"
	"os"

	"example.org/pathsum/internal/program"
)

func Example() {
	p := program.New("count", "count counts.")
	iterations, order := p.Iterations(3), p.Flags.Int("order", 2, "`N` of the n-grams")
	p.Do(func(ctx context.Context, r *program.Run) error {
		progress := r.Progress("counting", *iterations)
		defer progress.Done()
		for range *iterations {
			progress.Step("")
		}
		r.Trained(program.Training{Iterations: *iterations, Status: "converged"})
		r.Set("order", *order)
		fmt.Fprintln(r.Out, *iterations, "iterations of order", *order)
		return nil
	})
	// A program's main function calls p.Main() instead.
	status := p.Execute(context.Background(), []string{"-quiet", "-order", "4"}, os.Stdout, os.Stderr)
	fmt.Println("exit status", status)

	status = p.Execute(context.Background(), []string{"-iterations", "0"}, os.Stdout, os.Stdout)
	fmt.Println("exit status", status)
	// Output:
	// 3 iterations of order 4
	// exit status 0
	// count: -iterations 0: want at least 1 (-h explains the flags)
	// exit status 2
}
