package run_test

import (
	"errors"
	"fmt"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

func ExampleCommand() {
	c := run.Command()
	c.SetArgs([]string{"--dry-run", "convert", "{}", "{.}.png", ":::", "a b.jpg", "c.jpg"})
	if err := c.Execute(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// convert 'a b.jpg' 'a b.png'
	// convert c.jpg c.png
}

func ExampleCommand_failed() {
	c := run.Command()
	c.SetArgs([]string{"-k", "-c", "exit {}", ":::", "0", "7", "1"})
	var e *exitcode.Error
	if errors.As(c.Execute(), &e) {
		fmt.Println(e.Code, "jobs failed")
	}
	// Output: 2 jobs failed
}
