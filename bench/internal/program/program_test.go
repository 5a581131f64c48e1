package program_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// TestMain plays a program that ends as the test wants.
func TestMain(m *testing.M) {
	switch how := os.Getenv("PROGRAM_TEST"); how {
	case "":
		os.Exit(m.Run())
	case "signal":
		program.Main("it", func(ctx context.Context, _ []string) error {
			self, _ := os.FindProcess(os.Getpid())
			if err := self.Signal(os.Interrupt); err != nil {
				return err
			}
			<-ctx.Done()
			return context.Cause(ctx)
		})
	default:
		program.Main("it", func(context.Context, []string) error {
			return map[string]error{"help": flag.ErrHelp, "broken": errors.New("no disk")}[how]
		})
	}
}

func TestMainExits(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for how, want := range map[string]struct {
		status int
		said   string
	}{"well": {0, ""}, "help": {0, ""}, "broken": {1, "it: no disk\n"}, "signal": {130, "it: stopped by a signal\n"}} {
		var said strings.Builder
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env, cmd.Stderr = append(os.Environ(), "PROGRAM_TEST="+how), &said
		err := cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != want.status || said.String() != want.said {
			t.Errorf("%s: %v, %q; want %d, %q", how, err, said.String(), want.status, want.said)
		}
	}
}

// flags parses arguments of a program that measures three fruits.
func flags(args ...string) (chosen []string, rounds int, length time.Duration, usage string, err error) {
	var out strings.Builder
	f := program.NewFlags("eat", "Eats.", "fruit", []string{"apple", "apricot", "pear"},
		func(s string) (name, about string) { return s, "an " + s }, &out)
	f.IntVar(&rounds, "rounds", 5, "")
	f.DurationVar(&length, "length", time.Minute, "")
	f.Quick("-rounds 1 -length 2s")
	chosen, err = f.Parse(args)
	return chosen, rounds, length, out.String(), err
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args, chosen string
		rounds       int
		length       time.Duration
	}{
		{"", "apple apricot pear", 5, time.Minute},
		{"-only pear,app", "apple pear", 5, time.Minute},
		{"-only ap,apple", "apple apricot", 5, time.Minute},
		{"-quick", "apple apricot pear", 1, 2 * time.Second},
		{"-rounds 3 -quick -only p", "pear", 3, 2 * time.Second},
	} {
		chosen, rounds, length, _, err := flags(strings.Fields(c.args)...)
		if err != nil || !slices.Equal(chosen, strings.Fields(c.chosen)) || rounds != c.rounds || length != c.length {
			t.Errorf("%q: %v, %d rounds of %v, %v; want %+v", c.args, chosen, rounds, length, err, c)
		}
	}
	for args, want := range map[string]string{
		"-only fig":        `-only: no fruit begins with "fig": want some of apple,apricot,pear`,
		"-only pear,":      `no fruit begins with ""`,
		"pear":             `"pear" is left over`,
		"-quick -rounds x": "invalid value",
		"-none":            "not defined",
	} {
		if _, _, _, _, err := flags(strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", args, err, want)
		}
	}
	_, _, _, usage, err := flags("-h")
	if !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
	for _, want := range []string{"Eats.\n\nUsage: go run ./eat [flags]\n", "-rounds 1 -length 2s, unless given", "\nFruits:\n  apple             an apple\n"} {
		if !strings.Contains(usage, want) {
			t.Errorf("%s: want %q in it", usage, want)
		}
	}
	f := program.NewFlags("eat", "", "fruit", []string{"fig"}, func(s string) (name, about string) { return s, "" }, io.Discard)
	if _, err := f.Parse([]string{"-quick"}); err == nil {
		t.Error("-quick is there though nobody asked for it")
	}
}

// A table replaces what stands in its place, and nothing else.
func TestPublish(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n<!-- a -->\nold\n<!-- end of a -->\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := program.Publish(page, "a", "new\n"); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := os.ReadFile(page)
	if want := "before\n<!-- a -->\nnew\n<!-- end of a -->\nafter\n"; string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := os.WriteFile(page, []byte("<!-- end of a -->\n<!-- a -->\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if err := program.Publish(page, name, ""); err == nil || !strings.Contains(err.Error(), `no place for table "`+name+`"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseNumbers(t *testing.T) {
	if got, err := program.ParseNumbers("16, 2,3,2"); err != nil || !slices.Equal(got, []int{2, 3, 16}) {
		t.Errorf("%v, %v; want 2, 3 and 16", got, err)
	}
	for _, bad := range []string{"", "2,x", "0", "1,", "9999999"} {
		if got, err := program.ParseNumbers(bad); err == nil || !strings.Contains(err.Error(), "want numbers from 1 to 1048576") {
			t.Errorf("%q: %v, %v", bad, got, err)
		}
	}
}

func ExampleTable() {
	t := program.Table{Caption: "Rates:", Head: []string{"work", "a", "b"}, Empty: "–"}
	t.Add("copy", "1", "")
	fmt.Print(t)
	// Output:
	// Rates:
	//
	// | work | a | b |
	// |---|--:|--:|
	// | copy | 1 | – |
}
