// Package beam trains on a cluster with the same bits as package em in one process.
//
// An E step is a sum over shards of the data, and em.Fit needs only this sum, so shards
// can be visited on any machine. A [Likelihood] makes each E step a pipeline of Apache Beam, which
// runs on Flink, Spark, Dataflow and others, or within the process. The driver is em.Fit:
// methods, restarts, checkpoints, cancellation and the observer work as usual.
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
//   - the interface of a model: [Model], with [Register]; package models has some, and
//     beamtest.Check tests a custom model
//   - the locations of the data: [Survey], [Text.Cut]; or by hand: [Shard], [Range]
//   - the training job: [Job], [New]; then em.Fit, or em.FitFrom
//   - training in stages, as in package align: models.Distribute
//   - several kinds of data, or agreement: em.Sum, em.Difference, agree.Independent
//   - the engine: [Init], [Run] by flags of Beam's SDK (README.md); another engine: Job.Run
//
// # How an E step is made
//
// The driver writes θ and the other fields of the query to a file. An element of the pipeline is
// the index of a shard. Its worker loads the model once per process and keeps it, reads the lines
// of the shard itself, and emits their counts: sparse, in blocks of the vector of sums.
// Blocks are grouped by their index, and one element adds up the contributions to a block in
// the order of the shards. The sums go to files, which the driver reads:
//
//	shards → visit → (block, contribution) → group by block → add → sums
//
// The reducer adds the entries of each shard's tally, one by one and in order, as in one
// process (em.Divisible). Therefore the bits are the same for any number of workers, any size
// of blocks, and any order in which workers finish. For the same reason a shard emits one entry for
// each single count: an alignment emits 10 to 12 bytes for each pair of words.
//
// # Faults
//
// An engine may call a function again, on another worker or at the same time; each call emits and
// writes the same bytes. A worker tries a shard several times (Job.Tries), an engine retries it on
// other workers, and the driver repeats the E step if the pipeline has failed (Job.Attempts). A
// driver that has died resumes from its checkpoint (em.Options.Checkpoint), if the files, the
// saved model and the cut are the same. An error that is due to the model or the data, such as a
// sum that diverges or an example without a derivation, is not a fault: Fit handles it as in one
// process. If a run is canceled, the driver stops waiting; an engine may continue with the current
// E step.
//
// # Cost
//
// An E step takes a few tens of milliseconds more than in one process on the prism runner, and
// seconds on engines that start workers for each pipeline. A process that visits a shard again
// reuses its likelihood (Job.Keep). PERFORMANCE.md has measurements, and an estimate for 10⁹
// sentences and 10⁹ parameters.
//
// The driver needs the memory of em.Fit: θ, the counts, and the vectors of the method.
package beam
