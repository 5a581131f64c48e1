package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A list is a number of jobs: one command for many values, or one call for many items.
type list struct {
	name, about string
	needs       string // the program that must be there
	numbers     []int  // to sweep

	// prepare makes what the jobs need in an empty directory, in which they run. It returns
	// the command, with {} for a value, and the values.
	prepare func(ctx context.Context, dir string) (command, values []string, err error)
	// reset removes what a run has left; none is needed if nil.
	reset func(dir string) error
	call  []time.Duration // the waits of a Map, instead of commands

	// memory is what a list of jobs that need much of it runs with, bytes; 0: all. Its numbers
	// ascend, and each round has another order.
	memory int64
}

func lists() []list {
	return append([]list{
		{name: "vet", about: "go vet of 40 packages", needs: "go", numbers: []int{1, 2, 3, 4, 6, 8}, prepare: vet},
		{name: "inserts", about: "300 inserts by sqlite3 into one file", needs: "sqlite3", numbers: []int{1, 2, 3, 4, 8, 16},
			prepare: inserts, reset: func(dir string) error { return sqlite(dir, "delete from t") }},
		{name: "curl", about: "600 requests by curl to a server with 24 places of 0.15 s", needs: "curl",
			numbers: []int{8, 16, 24, 32, 48, 64, 96}, prepare: requests},
		{name: "tail", about: "400 sleeps of 20 ms · Pareto(1.1)", needs: "sleep", numbers: []int{32, 64, 128, 256, 400},
			prepare: sleeps(drawn(400, func(u float64) float64 { return 0.02 * math.Pow(1-u, -1/1.1) }))},
		{name: "sleeps", about: "150 sleeps of 0.1 to 0.5 s", needs: "sleep", numbers: []int{16, 32, 64, 128, 150},
			prepare: sleeps(uniform(150, 0.1, 0.5))},
		{name: "clones", about: "40 git clones of a local repository", needs: "git", numbers: []int{1, 2, 4, 8, 16, 40},
			prepare: clones, reset: emptied},
		{name: "copies", about: "60 copies of 8 MB by dd, each synced to the disk", needs: "dd", numbers: []int{1, 2, 4, 8, 16, 60},
			prepare: copies, reset: emptied},
		{name: "optipng", about: "optipng of 60 pictures", needs: "optipng", numbers: []int{1, 2, 3, 4, 6, 8},
			prepare: pictures, reset: emptied},
		{name: "packuments", about: "190 files of 0 to 4 MB by curl, over a line of 20 MB/s", needs: "curl",
			numbers: []int{2, 4, 8, 16, 32, 64, 190}, prepare: packuments},
		{name: "map", about: "one Map over 200 waits of 50 ms", numbers: []int{32, 64, 128, 200}, call: waits(uniform(200, 0.05, 0.05))},
		{name: "maplong", about: "one Map over 200 waits of 0.1 to 0.5 s", numbers: []int{32, 64, 128, 200}, call: waits(uniform(200, 0.1, 0.5))},
	}, inMemory()...)
}

func emptied(dir string) error {
	out := filepath.Join(dir, "out")
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return os.Mkdir(out, 0o700)
}

func vet(ctx context.Context, _ string) (command, values []string, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "archive/...", "compress/...", "container/...", "encoding/...", "net/...", "text/...")
	cmd.Dir = os.TempDir() // in no module
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, err
	}
	if values = strings.Fields(string(out)); len(values) < 40 {
		return nil, nil, fmt.Errorf("%d packages, want 40", len(values))
	}
	return []string{"go", "vet", "{}"}, values[:40], nil
}

func inserts(_ context.Context, dir string) (command, values []string, err error) {
	return []string{"sqlite3", "-cmd", ".timeout 60000", "db", "insert into t values('{}')"}, numbered(300), sqlite(dir, "create table t(x)")
}

func sqlite(dir, statement string) error {
	cmd := exec.Command("sqlite3", "db", statement)
	cmd.Dir = dir
	return cmd.Run()
}

// requests starts a server that ends with ctx.
func requests(ctx context.Context, _ string) (command, values []string, err error) {
	places := make(chan struct{}, 24)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		places <- struct{}{}
		defer func() { <-places }()
		time.Sleep(150 * time.Millisecond)
		w.WriteHeader(http.StatusNoContent)
	}))
	context.AfterFunc(ctx, server.Close)
	return []string{"curl", "-sS", "-o", "/dev/null", server.URL + "/?{}"}, numbered(600), nil
}

// clones makes a repository of 300 files.
func clones(ctx context.Context, dir string) (command, values []string, err error) {
	const script = `git init -q src && cd src && for i in $(seq 300); do seq $((i*7)) >$i; done &&
		git add . && git -c user.name=x -c user.email=x@example.org commit -q -m x`
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir = dir
	return []string{"git", "clone", "-q", "--no-local", "src", "out/{}"}, numbered(40), cmd.Run()
}

func numbered(n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprint(i + 1)
	}
	return values
}

func sleeps(seconds []float64) func(context.Context, string) (command, values []string, err error) {
	return func(context.Context, string) (command, values []string, err error) {
		for _, s := range seconds {
			values = append(values, fmt.Sprintf("%.3f", s))
		}
		return []string{"sleep", "{}"}, values, nil
	}
}

func waits(seconds []float64) []time.Duration {
	all := make([]time.Duration, len(seconds))
	for i, s := range seconds {
		all[i] = time.Duration(s * float64(time.Second))
	}
	return all
}

func uniform(n int, low, high float64) []float64 {
	return drawn(n, func(u float64) float64 { return low + (high-low)*u })
}

// drawn returns the same times in every run.
func drawn(n int, f func(u float64) float64) []float64 {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	all := make([]float64, n)
	for i := range all {
		all[i] = f(random.Float64())
	}
	return all
}
