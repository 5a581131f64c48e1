package program

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// Build builds the command sweetspot of this checkout into a directory, and returns its path.
func Build(ctx context.Context, dir string) (binary string, err error) {
	binary = filepath.Join(dir, "sweetspot")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	cmd.Dir = filepath.Join("..", "cmd", "sweetspot")
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build of ../cmd/sweetspot: %w: %s (run it in bench/)", err, said)
	}
	return binary, nil
}
