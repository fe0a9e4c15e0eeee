// Command privacy makes the tables of examples/privacy/PERFORMANCE.md: the R² of regressions by
// ε for every mechanism of package regression, on the same splits of the same rows, and a bound
// for all mechanisms.
//
//	go run ./internal/experiments/privacy -rows 4898 -features 11 -signal .285
//	go run ./internal/experiments/privacy -data california_housing.csv.gz -figure r2.svg
//
// It also prints the difference of each to the last, over paired trials, and the privacy loss
// of a record. The JSON object also has r2_uncentred, which is 1 − Σ(ŷ−y)²/Σy².
//
// The bound holds on average over all directions of the best weights, for parties that know the
// covariance of the features; see regression.Bound. For a single table, whose best weights may
// lie in an easy direction, it is a yardstick.
package main
