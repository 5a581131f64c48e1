//go:build unix

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// The jobs of a worker do not get the password by which it reaches its server.
func TestQueueKeepsPassword(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	url := startNATS(t, fmt.Sprintf("listen: \"127.0.0.1:-1\"\njetstream { store_dir: %q }\nauthorization { user: user, password: secret }\n", t.TempDir()))
	with := strings.Replace(url, "://", "://user:secret@", 1)
	queue := func(args ...string) string {
		c := exec.Command("sweetspot", append([]string{"queue"}, args...)...)
		c.Env = append(os.Environ(), "NATS_URL="+with)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v, %s", args, err, out)
		}
		return string(out)
	}
	queue("push", "q", ":::", "1")
	queue("work", "q", "--until-empty", "-c", "env")
	if out := queue("results", "q", "--stdout"); strings.Contains(out, "secret") || !strings.Contains(out, "NATS_URL="+url+"\n") {
		t.Errorf("environment of a job: %s\nwant NATS_URL=%s", out, url)
	}
}
