package scan

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

// What a process can have been started for.
const (
	roleSocket           = "socket"
	roleFanotifyWatchdog = "watchdog"
	roleFanotify         = "fanotify"
)

// Main returns at once, unless this process was started as a scanner: then it is
// one, and Main never returns. Call it before anything else in main, or in the command
// that Config.Args names, and in TestMain.
func Main() {
	as := os.Getenv(role)
	if as == "" {
		return
	}
	os.Unsetenv(role)
	signal.Ignore(os.Interrupt) // a terminal sends it to us too; who started us will tell
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		os.Exit(0) // who started us is gone
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		fmt.Println("the order to the scanner process cannot be read:", err)
		os.Exit(1)
	}
	end := make(chan struct{})
	go func() {
		io.Copy(io.Discard, in) // ends when who started us closes it, or ends
		close(end)
	}()
	e := engine{order: o}
	switch as {
	case roleSocket:
		err = e.serveSocket(end)
	case roleFanotify:
		err = e.serveFanotify(end)
	case roleFanotifyWatchdog:
		err = watch(o, end)
	default:
		err = fmt.Errorf("the role %q of a scanner process is unknown", as)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// tell writes the last words of a scanner process.
func (e *engine) tell() error {
	r := Report{Files: e.files.Load(), Bytes: e.bytes.Load(), Late: e.late.Load(), CPU: cpuTime()}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n", text)
	return nil
}

// patience is how long a scanner may be silent: many times what its sign of life
// takes on a busy machine.
const (
	patience = 2 * time.Second
	sign     = 200 * time.Millisecond
)
