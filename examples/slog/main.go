// Command slog shows what a Limiter decides as records of package log/slog, one
// JSON object a line, beside those of the program itself.
//
//	go run . -debug 2>&1 | jq -r '[.time, .level, .limiter, .from, .to, .why] | @tsv'
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

func main() {
	debug := flag.Bool("debug", false, "also log what is tried, and what only stays")
	units := flag.Int("n", 5000, "how many units of work")
	flag.Parse()
	if flag.NArg() > 0 || *units < 1 {
		fmt.Fprintln(os.Stderr, "slog: want no arguments, and a number of units above 0")
		os.Exit(2)
	}
	level := slog.LevelInfo
	if *debug {
		level = slog.LevelDebug
	}
	if err := run(os.Stderr, level, *units); err != nil {
		fmt.Fprintln(os.Stderr, "slog:", err)
		os.Exit(1)
	}
}

// run does n units of work that waits, and logs to w.
func run(w io.Writer, level slog.Level, n int) error {
	logger := slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
	l := sweetspot.New(
		sweetspot.Name("lookups"),
		// What all records of this Limiter should say is the logger's to add.
		sweetspot.Logger(logger.With("service", "example")),
	)

	var g sweetspot.Group
	for range n {
		g.Go(func() error { return l.Do(context.Background(), lookup) })
	}
	err := g.Wait()

	// Somebody sets the limit, and hands it back: that is logged as well.
	l.SetLimit(l.Limit() + 1)
	l.Auto()
	s := l.Stats()
	logger.Info("done", "units", s.Completed, "limit", s.Limit, "active", s.Active.Round(time.Millisecond).String())
	return err
}

// lookup stands for a request to somebody else.
func lookup(ctx context.Context) error {
	select {
	case <-time.After(5 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
