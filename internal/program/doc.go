// Package program is the shell that all example programs and experiments share: the same flags
// with the same meaning, help, progress, results for people and for machines, exit statuses,
// and an orderly end on an interrupt.
//
// The idea: programs differ only in their data and their model. So a program declares the flags
// that it needs, and provides the parts that are specific to it, a Task: functions that read
// the data, make an untrained model, train, save, load and test it, and answer a line. Define
// makes the rest.
//
//	func main() {
//		p := program.New("dice", "dice finds out which die was thrown.")
//		f := flags{data: p.Data("throws"), iterations: p.Iterations(50)}
//		program.Define(p, program.Task[[]evening, *model]{
//			Read: f.read, New: newModel, Fit: f.fit, Save: (*model).save, Load: load,
//			Answer: answer, Score: f.score, Curve: figure.Curve("log likelihood, nats"),
//		})
//		p.Main()
//	}
//
// A program without a model passes a single function to Do instead.
//
// # Flags
//
// With -load there is no training: the flags of data, training and the model are then errors,
// except the flags of Program.Uses and Program.Permits. With -apply the program answers lines
// instead of testing. -plot is the learning curve and -matrix a heat map in every program that
// draws. -help begins with a sentence and two commands, followed by the flags by Subject.
//
// A few bad lines of data are skipped and reported: see Records.
//
// # Output
//
// Results go to standard output (Run.Out). With -apply it has the answers alone, so that they
// can be piped, and results for people go to standard error. With -json the last line of
// standard output, with -apply of standard error, is one JSON object with everything that was
// reported: first the keys of every program
//
//	program, seconds (wall clock), cpu_seconds, peak_rss_mb (MiB), workers, seed,
//	iterations, objective (list, one per iteration, nats), status, skipped, lines_skipped
//
// then the program's own, in the order of their first Set. A number that JSON cannot represent
// (NaN, ±Inf) is null. Progress goes to standard error: a bar on a terminal, elsewhere a line
// every few seconds and one at the end. -quiet turns it off.
//
// # End
//
// The exit status is 0 if the program did its work (or explained its flags with -h). It is 1 if
// the program failed, and 2 for wrong flags, with one line on standard error that gives the
// reason. An output that is also an input, under any name, is a wrong flag; the file is not
// overwritten. An interrupt (Ctrl-C, or SIGTERM) cancels the context: the program should stop
// its work, report the results so far and return. The JSON object then has the status
// "canceled", the exit status is 130, and a line on standard error describes the contents of a
// checkpoint. A second interrupt ends the process immediately. A program that has finished its
// work removes its checkpoints. If training ended at its iteration limit, a line on standard
// error reports it.
package program
