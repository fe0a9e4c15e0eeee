// Package beam trains on a cluster what package em trains in one process, to the same bits.
//
// An E step is a sum over shards of the data, and em.Fit asks for nothing else, so that shards
// can be visited anywhere. A [Likelihood] makes each E step a pipeline of Apache Beam, which
// runs on Flink, Spark, Dataflow and others, or within the process. The driver is em.Fit:
// methods, restarts, checkpoints, cancellation and the observer are what they were.
//
//	beam.Init() // after flag.Parse: a worker goes to work here
//	text, err := beam.Survey(ctx, dir, nil, files...)
//	...
//	shards := text.Cut(em.NewCut(text.Lines()))
//	job := beam.Job{Model: models.Grammar, Saved: saved.Bytes(), Dir: dir, Shards: shards}
//	l, err := beam.New(ctx, job)
//	...
//	defer l.Close()
//	result, err := em.FitFrom(ctx, l, &m.Theta, &em.Options{Iterations: 3})
//
// Which function:
//
//   - what a model must offer: [Model], with [Register]; package models has some, and
//     beamtest.Check checks one's own
//   - where the data are: [Survey], [Text.Cut]; or by hand: [Shard], [Range]
//   - what is trained, and how: [Job], [New]; then em.Fit, or em.FitFrom
//   - stages, as package align trains them: models.Via
//   - several kinds of data, or agreement: em.Sum, em.Difference, agree.Independent
//   - on which engine: [Init], [Run] by flags of Beam's SDK (README.md); another one: Job.Run
//
// # How an E step is made
//
// The driver writes θ and what else the query says to a file. An element of the pipeline is the
// number of a shard. Its worker loads the model once per process and keeps it, reads the lines
// of the shard itself, and sends on what they count: sparse, in blocks of the vector of sums.
// Blocks are grouped by their number, and one element adds up the contributions to a block in
// the order of the shards. The sums go to files, which the driver reads:
//
//	shards → visit → (block, contribution) → group by block → add → sums
//
// What is added up are the entries of each shard's tally, one by one and in its order, as in one
// process (em.Divisible). That is why the bits are the same for any number of workers, any size
// of blocks, and whichever worker was first. It also is why a shard sends an entry for each time
// that it counts: an alignment sends 10 to 12 bytes for each pair of words.
//
// # Faults
//
// A function may be called again, by another worker or at the same time: it says the same and
// writes the same. A worker tries a shard several times (Job.Tries), an engine gives it to
// others, and the driver makes the E step anew if the pipeline has failed (Job.Attempts). A
// driver that has died goes on from its checkpoint (em.Options.Checkpoint), if the files, the
// saved model and the cut are the same. What a shard finds out of the model, such as a sum that
// diverges or an example without a derivation, is no fault: Fit hears of it as it does in one
// process. If a run is canceled, the driver stops waiting; an engine may go on with the E step
// that was under way.
//
// # Cost
//
// An E step takes some tens of milliseconds more than in one process on the prism runner, and
// seconds on engines that start workers for each pipeline. A process that visits a shard again
// finds its likelihood as it was (Job.Keep). PERFORMANCE.md has measurements, and what 10⁹
// sentences and 10⁹ parameters take.
//
// The memory of the driver is that of em.Fit: θ, counts, and what the method needs.
package beam
