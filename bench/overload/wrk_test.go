package overload

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

//go:embed wrk.lua
var wrkScript []byte

// echo lets next's responses have the id that wrk.lua gave the request.
func echo(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["X-Id"] = []string{r.URL.RawQuery}
		next.ServeHTTP(w, r)
	})
}

// wrk is hammer with the clients of wrk, in two threads.
func (t *tally) wrk(ctx context.Context, address string, clients int, warm, length time.Duration) error {
	dir, err := os.MkdirTemp("", "sweetspot-wrk-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "wrk.lua")
	if err := os.WriteFile(script, wrkScript, 0o600); err != nil {
		return err
	}
	wrk := exec.CommandContext(ctx, "wrk", "-t", strconv.Itoa(min(2, clients)), "-c", strconv.Itoa(clients),
		"-d", fmt.Sprintf("%.0fs", (warm+length).Seconds()), "-s", script, "http://"+address, "--", fmt.Sprint(warm.Seconds()))
	wrk.Stderr = os.Stderr
	out, err := wrk.Output()
	if err != nil {
		return fmt.Errorf("wrk: %w", err)
	}
	return t.parseWrk(out)
}

// parseWrk adds what wrk.lua prints.
func (t *tally) parseWrk(out []byte) error {
	_, lines, found := bytes.Cut(out, []byte("sweetspot\t"))
	if !found {
		return fmt.Errorf("wrk printed no counts: %s", out)
	}
	in := bufio.NewScanner(bytes.NewReader(lines))
	in.Scan()
	var refused, broken, late int
	if _, err := fmt.Sscan(in.Text(), &refused, &broken, &late); err != nil {
		return fmt.Errorf("wrk: %w in %q", err, in.Text())
	}
	t.refusals += refused
	t.failed += broken + late
	for in.Scan() {
		us, err := strconv.Atoi(in.Text())
		if err != nil {
			return fmt.Errorf("wrk: %w", err)
		}
		t.took = append(t.took, time.Duration(us)*time.Microsecond)
	}
	return in.Err()
}

func TestParseWrk(t *testing.T) {
	var got tally
	err := got.parseWrk([]byte("Running 7s test\nsweetspot\t12\t3\t4\n9000\n7000\n8000\n"))
	if err != nil || got.refusals != 12 || got.failed != 7 || len(got.took) != 3 || got.took[0] != 9*time.Millisecond {
		t.Errorf("%+v, %v", got, err)
	}
	for _, out := range []string{"", "unable to connect", "sweetspot\t1\n", "sweetspot\t1\t2\t3\nmany\n"} {
		if err := new(tally).parseWrk([]byte(out)); err == nil {
			t.Errorf("%q: no error", out)
		}
	}
}
