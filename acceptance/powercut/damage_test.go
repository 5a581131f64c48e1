//go:build linux

package powercut_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

const damageJobs = 100 // that have a result, and as many that wait

// damageLeast has short runs of all tests leave out TestDamage.
const damageLeast = 10

// A file of the store is damaged while nobody serves it: a bit is flipped, or its end is cut
// off. What is lost by that is said, by work, wait or results, and the rest is done.
//
//	go test -v -run Damage ./acceptance/powercut -args -cuts 100
func TestDamage(t *testing.T) {
	rerun.Skip(t)
	if *cutsWanted < damageLeast {
		t.Skipf("a store that is damaged is waited for: want -args -cuts %d or more", damageLeast)
	}
	seed := *seedWanted
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 3))
	d := &damage{T: t, command: sweetspot(t), home: filepath.Join(t.TempDir(), "queues")}
	d.run("push", ":::", d.values(0))
	d.run("work", "--until-empty", "-c", "echo out {}")
	d.run("push", ":::", d.values(damageJobs))
	whole := d.home
	for _, form := range []string{"a bit is flipped", "the end is cut off"} {
		t.Run(form, func(t *testing.T) {
			d := &damage{T: t, command: d.command}
			for i := range *cutsWanted {
				d.home = filepath.Join(t.TempDir(), fmt.Sprint(i))
				if err := os.CopyFS(d.home, os.DirFS(whole)); err != nil {
					t.Fatal(err)
				}
				what := d.harm(random, form == "a bit is flipped")
				lost, said := d.after()
				switch {
				case lost == 0:
					d.unharmed++
				case said == "":
					d.silent++
					t.Errorf("%s: %d jobs are lost, and nothing says so", what, lost)
				case !strings.Contains(said, "sweetspot"): // a command was ended, and had said nothing
					d.stood++
					t.Errorf("%s: a command stands still", what)
				default:
					d.said++
				}
				if said != "" {
					t.Logf("%s: %d jobs lost: %.300q", what, lost, said)
				}
				_ = os.RemoveAll(d.home)
			}
			t.Logf("%s in %d stores: nothing was lost in %d, the damage was said in %d, a command stood still in %d, and jobs were lost in silence in %d",
				form, *cutsWanted, d.unharmed, d.said, d.stood, d.silent)
		})
	}
}

// A damage is a home whose files are damaged, and what came of it.
type damage struct {
	*testing.T
	command, home string

	unharmed, said, stood, silent int
}

// values returns those of some jobs, after so many.
func (d *damage) values(after int) string {
	name := filepath.Join(d.TempDir(), "list")
	var list strings.Builder
	for i := range damageJobs {
		fmt.Fprintln(&list, "v", after+i)
	}
	if err := os.WriteFile(name, []byte(list.String()), 0o600); err != nil {
		d.Fatal(err)
	}
	return name
}

// damagePatience is how many seconds a command has. It takes one, and some more where the store is damaged.
const damagePatience = "30"

// call runs a command of the queue, and returns what it writes. One that does not end is ended.
func (d *damage) call(args ...string) (stdout, stderr string, err error) {
	c := exec.Command("timeout", append([]string{"-k", "1", damagePatience, d.command, "queue", args[0], "q", "--dir", d.home}, args[1:]...)...)
	c.Env = append(os.Environ(), "XDG_CONFIG_HOME="+os.DevNull, "NATS_URL=")
	var out, messages bytes.Buffer
	c.Stdout, c.Stderr = &out, &messages
	err = c.Run()
	return out.String(), messages.String(), err
}

func (d *damage) run(args ...string) {
	d.Helper()
	if i := len(args) - 1; args[i-1] == ":::" { // a list in a file
		args = append(args[:i-1], "-a", args[i])
	}
	if _, stderr, err := d.call(args...); err != nil {
		d.Fatalf("%v: %v\n%s", args, err, stderr)
	}
}

// harm damages a file of the store, and returns what it did.
func (d *damage) harm(random *rand.Rand, flip bool) string {
	d.Helper()
	var files []string
	err := filepath.WalkDir(filepath.Join(d.home, "jetstream"), func(path string, e fs.DirEntry, err error) error {
		if info, ierr := e.Info(); err == nil && ierr == nil && info.Mode().IsRegular() && info.Size() > 0 {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	path := files[random.IntN(len(files))]
	text, err := os.ReadFile(path)
	if err != nil {
		d.Fatal(err)
	}
	name, _ := filepath.Rel(filepath.Join(d.home, "jetstream/jetstream/$G/streams"), path)
	at := random.IntN(len(text))
	if flip {
		text[at] ^= 1 << random.IntN(8)
		name = fmt.Sprintf("a bit of byte %d of %d of %s", at, len(text), name)
	} else {
		name = fmt.Sprintf("all from byte %d of %d of %s", at, len(text), name)
		text = text[:at]
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		d.Fatal(err)
	}
	return name
}

// after works off the queue, and returns how many jobs have no result then, and what was said.
func (d *damage) after() (lost int, said string) {
	note := func(what, stderr string, err error) {
		if err != nil || stderr != "" {
			said += fmt.Sprintf("%s: %v: %s", what, err, stderr)
		}
	}
	_, stderr, err := d.call("work", "--until-empty", "-c", "echo out {}")
	note("work", stderr, err)
	_, stderr, err = d.call("wait")
	note("wait", stderr, err)
	out, stderr, err := d.call("results")
	note("results", stderr, err)
	have := map[string]bool{}
	for line := range strings.Lines(out) {
		var r struct {
			Values []string
			Stdout string
		}
		if err := json.Unmarshal([]byte(line), &r); err == nil && r.Stdout == "out "+strings.Join(r.Values, "")+"\n" {
			have[r.Stdout] = true
		}
	}
	return 2*damageJobs - len(have), said
}
