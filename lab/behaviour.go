package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/sim"
)

// Figures describe the law and the calls at the time of the run. A test compares the
// behaviour that the published figures name with that of the source beside them.

// behaviourScenarios are those of package sim that the law is run in: small and large
// machines, waiting, cliffs, steps and neighbours.
var behaviourScenarios = []string{"cpu4", "mixed", "down32", "thrash40", "extcpu", "step16-128", "spin8", "paretoio"}

// behaviour is computed once, because it depends on the source alone.
var behaviour = sync.OnceValues(digestOfBehaviour)

// digestOfBehaviour is a digest of the decisions of the default law in simulations, and of
// the signatures of the calls that experiments make.
func digestOfBehaviour() (string, error) {
	h := sha256.New()
	for _, sc := range scenariosOf(behaviourScenarios) {
		r, err := sim.Run(sc, 1, searchLaw.make())
		if err != nil {
			return "", err
		}
		for _, c := range r.Changes {
			fmt.Fprintf(h, "%s %.2f %d\n", sc.Name, c.At, c.To)
		}
	}
	for _, call := range []any{
		sweetspot.Map[int, int], sweetspot.ForEach[int], sweetspot.MapSeq[int, int], sweetspot.ReduceRange[int], sweetspot.Workers[int],
		sweetspot.Walk[int], sweetspot.JoinSerial[int, int], sweetspot.NewPool[int], sweetspot.New, (*sweetspot.Limiter).Begin,
	} {
		fmt.Fprintf(h, "%T\n", call)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}
