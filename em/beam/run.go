package beam

import (
	"context"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	// The runner that needs nothing else, and any that speaks Beam's protocol.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"example.org/pathsum/internal/nested"
)

// Prism is the name of the default runner, which works within the process of the driver.
const Prism = "prism"

// Init begins the work of a worker, and does not return, in a process that an engine has
// started as one; in any other it lets pipelines be made. Call it at the beginning of main,
// after flag.Parse: engines tell their workers what to do by flags.
func Init() { sdk.Init() }

// Runner returns the name of the runner, by the flag -runner of Beam's SDK.
func Runner() string {
	if *runners.Runner == "" {
		return Prism
	}
	return *runners.Runner
}

// Run runs a pipeline to its end on the engine that the flags of Beam's SDK name: -runner
// (default prism, within the process), -endpoint, -environment_type and others. README.md has
// what they are for each engine. The program must import the runner, but for prism and
// universal, which any engine with Beam's portable protocol understands.
func Run(ctx context.Context, p *sdk.Pipeline) error {
	if !sdk.Initialized() {
		return nested.Errorf("beam: Init was not called")
	}
	_, err := sdk.Run(ctx, Runner(), p)
	return err
}
