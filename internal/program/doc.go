// Package program is the shell that all example programs and experiments share: the same flags
// with the same meaning, help, progress, results for people and for machines, exit statuses, and
// an orderly end on an interrupt.
//
// The idea: programs differ in their data and their model, and in nothing else. So a program
// declares the flags that make sense for it, and hands over the parts in which it differs, a Task:
// how to read the data, what the model is before training, how to train, save, load and test it,
// and what answers a line. Define makes the rest.
//
//	func main() {
//		p := program.New("dice", "dice finds out which die was thrown.")
//		f := flags{data: p.Data("throws"), iterations: p.Iterations(50)}
//		program.Define(p, program.Task[[]evening, *model]{
//			Read: f.read, New: newModel, Fit: f.fit, Save: (*model).save, Load: load,
//			Answer: answer, Score: f.score, Curve: "log likelihood, nats",
//		})
//		p.Main()
//	}
//
// A program without a model hands one function to Do instead.
//
// # Flags
//
// With -load nothing is trained: the flags of data, training and the model are then refused, but
// for those of Program.Uses and Program.Permits. With -apply lines are answered in place of the
// test. -plot is the learning curve and -matrix a heat map in every program. -help begins with a
// sentence and two commands, and then has the flags by Subject.
//
// Lines of data that are wrong are skipped and told, if they are few: see Records.
//
// # Output
//
// Results go to standard output (Run.Out). With -apply it has the answers alone, so that a pipe
// behind it stays clean, and results for people go to standard error.
// With -json the last line of standard output, with -apply of standard error, is one JSON
// object of everything that was reported: first the keys of every program
//
//	program, seconds (wall clock), cpu_seconds, peak_rss_mb (MiB), workers, seed,
//	iterations, objective (list, one per iteration, nats), status, skipped, lines_skipped
//
// then the program's own, in the order of their first Set. A number that JSON
// cannot hold (NaN, ±Inf) is null. Progress goes to standard error: a bar on a
// terminal, elsewhere a line every few seconds and one at the end, nothing with -quiet.
//
// # End
//
// The exit status is 0 if the program did its work (or explained its flags with -h). It is
// 1 if the program could not, and 2 for wrong flags, with one line on standard error that
// says why. An output that is an input, whatever it is called, is a wrong flag: nothing is
// overwritten. An interrupt (Ctrl-C, or SIGTERM) cancels the context: the program should stop
// what it is doing, report what it knows and return. The JSON object then has the status
// "canceled", the exit status is 130, and a line on standard error says what a checkpoint keeps.
// A second interrupt ends the process at once. A program that has done its work removes its
// checkpoints. Where training ended at its iteration limit, a line on standard error says so.
package program
