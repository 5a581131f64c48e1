package figures

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// A Machine is what the figures depend on.
type Machine struct {
	Model   string `json:"model"` // of the CPU; empty if not known
	CPUs    int    `json:"cpus"`  // that Go uses unless told otherwise
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Go      string `json:"go"`
	Version string `json:"version,omitempty"` // of this program, as a module has it
	Commit  string `json:"commit,omitempty"`  // of its source; changes since are marked
	Kernel  string `json:"kernel,omitempty"`
	Memory  int64  `json:"memory_bytes,omitempty"`
	Virtual bool   `json:"virtual"` // a guest, as far as is known: CPUs may be taken away unseen
}

// ThisMachine returns what is known of the machine that it runs on.
func ThisMachine() Machine {
	m := Machine{
		CPUs: runtime.GOMAXPROCS(0),
		OS:   runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		m.Version, m.Commit = sourceOf(info)
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = strings.TrimSpace(string(release))
	}
	eachField("/proc/cpuinfo", func(name, value string) {
		switch name {
		case "model name":
			m.Model = value
		case "flags":
			m.Virtual = m.Virtual || strings.Contains(" "+value+" ", " hypervisor ")
		}
	})
	eachField("/proc/meminfo", func(name, value string) {
		if kB, ok := strings.CutSuffix(value, " kB"); ok && name == "MemTotal" {
			n, _ := strconv.ParseInt(kB, 10, 64)
			m.Memory = n << 10
		}
	})
	return m
}

// dirty marks a commit whose source was changed before the build, as the go
// command marks a version.
const dirty = "+dirty"

// sourceOf returns what a build knows about its source. In a checkout that is
// the commit, unless -buildvcs=false; for a downloaded module it is the
// version.
func sourceOf(info *debug.BuildInfo) (version, commit string) {
	if version = info.Main.Version; version == "(devel)" { // as good as nothing
		version = ""
	}
	changed := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	if commit != "" && changed {
		commit += dirty
	}
	return version, commit
}

// eachField calls f for each line "name: value" of a file, if there is one.
func eachField(path string, f func(name, value string)) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok {
			f(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
}
