package lab

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// child returns a process of this program that runs a hidden command of lab, such
// as measure. It is killed when ctx is done and, on Linux, when this process ends,
// however that comes: children of its own then do not measure on for nobody.
func child(ctx context.Context, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the program does not know where it is, and so cannot start processes of its own: %w", err)
	}
	c := exec.CommandContext(ctx, self, append([]string{"lab"}, args...)...)
	dissect.EndWithParent(c)
	return c, nil
}
