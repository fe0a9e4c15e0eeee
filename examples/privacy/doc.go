// Privacy fits a linear regression to statistics that people release under local
// differential privacy (package moments/privacy), and says how much the fit loses for
// how much privacy.
//
// Least squares need nothing but mean products: of features with each other and of each
// feature with the target. Everybody clips his values to declared ranges, randomizes his
// products, and releases one record. Two mechanisms compete, each as published and with
// all of ε spent (tight): coordinate release gives one bit for one product, per-value
// response one for each. Products are dense, so the latter must share its ε among all of
// them, and coordinate release is far ahead.
//
//	go run ./examples/privacy
//	go run ./examples/privacy -data housing.csv.gz -mechanism coordinate-tight -plot r2.svg
//
// Without -data the people are simulated. In each trial, four fifths of the rows release
// records and the others are predicted. Printed is R², 1 − Σ(ŷ−y)²/Σ(y−ȳ)²; the JSON
// object also has r2_uncentred, the same with ȳ = 0. The fit without privacy is from the
// same clipped values. Ranges must be known without the data: this experiment, which
// has no other knowledge, takes them from the rows that release. For the same results
// every time it draws from a predictable source, so that its records protect nobody.
//
// Source: Raghunathan, Frostig, Duchi and Liang 2016, §7.
package main
