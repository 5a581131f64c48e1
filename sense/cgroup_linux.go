package sense

import (
	"os"
	"path"
	"strings"
)

// A cgroup names the directories in which the kernel accounts for us, the
// innermost first and its ancestors after it: a limit may stand on any level,
// in Kubernetes for example on the pod's above the container's.
type cgroup struct {
	cpu, usage, memory, pids []string
	v2                       bool // which format the files of cpu and usage have
	memoryV2                 bool
}

// levels bounds how far up we look, because each level takes up to nine open files.
// Real trees are 3 to 6 deep, and as much deeper for each container around another.
const levels = 32

// findCgroup reads /proc/self/cgroup and /proc/self/mountinfo below root. What
// cannot be found stays empty.
func findCgroup(root string) cgroup {
	groups, err := os.ReadFile(root + "/proc/self/cgroup")
	if err != nil {
		return cgroup{}
	}
	mounts, err := os.ReadFile(root + "/proc/self/mountinfo")
	if err != nil {
		return cgroup{}
	}
	paths := groupPaths(string(groups))
	points := mountPoints(string(mounts))
	find := func(controller, witness string) (dirs []string, v2 bool) {
		// A controller belongs to one hierarchy at a time: to v1 where a v1
		// line of /proc/self/cgroup lists it, to v2 otherwise.
		if p, ok := paths[controller]; ok {
			return ancestors(root, points[controller], p), false
		}
		if p, ok := paths[""]; ok {
			dirs := ancestors(root, points[""], p)
			for _, dir := range dirs {
				if _, err := os.Stat(dir + "/" + witness); err == nil {
					return dirs, true
				}
			}
		}
		return nil, false
	}
	var g cgroup
	g.cpu, g.v2 = find("cpu", "cpu.stat")
	g.usage = g.cpu
	if !g.v2 {
		g.usage, _ = find("cpuacct", "cpuacct.usage")
	}
	g.memory, g.memoryV2 = find("memory", "memory.current")
	g.pids, _ = find("pids", "pids.max")
	return g
}

// groupPaths parses /proc/self/cgroup, lines of id:controllers:path, into the
// path for each controller; the v2 hierarchy has the empty name.
func groupPaths(s string) map[string]string {
	paths := map[string]string{}
	for line := range strings.Lines(s) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) != 3 {
			continue
		}
		for _, controller := range strings.Split(f[1], ",") {
			paths[controller] = f[2]
		}
	}
	return paths
}

// A mount is a cgroup file system: where it is mounted, and which directory of
// the hierarchy is its root (not "/" in a container without cgroup namespace).
type mount struct{ point, root string }

// mountPoints parses /proc/self/mountinfo into the mount of each controller;
// the v2 hierarchy has the empty name. The first mount of each wins.
func mountPoints(s string) map[string]mount {
	points := map[string]mount{}
	add := func(controller string, m mount) {
		if _, ok := points[controller]; !ok {
			points[controller] = m
		}
	}
	for line := range strings.Lines(s) {
		// 31 23 0:28 /root /point rw,relatime optional... - type source options
		left, right, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		l, r := strings.Fields(left), strings.Fields(right)
		if !ok || len(l) < 5 || len(r) < 3 {
			continue
		}
		m := mount{point: unescape(l[4]), root: unescape(l[3])}
		switch r[0] {
		case "cgroup2":
			add("", m)
		case "cgroup":
			for _, option := range strings.Split(r[2], ",") {
				add(option, m)
			}
		}
	}
	return points
}

// unescape undoes mountinfo's octal escapes of blanks and backslashes.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace

// ancestors returns the directory of group p in mount m and the directories
// above it, up to the mount point, each below root.
func ancestors(root string, m mount, p string) []string {
	if m.point == "" {
		return nil
	}
	rel := path.Clean("/" + p)
	if m.root != "/" {
		if rest, ok := strings.CutPrefix(rel, m.root); ok && (rest == "" || rest[0] == '/') {
			rel = path.Clean("/" + rest)
		} else {
			rel = "/" // the group is not below this mount: what is mounted is all we can see
		}
	}
	if _, err := os.Stat(root + m.point + rel); err != nil {
		rel = "/"
	}
	var dirs []string
	for len(dirs) < levels {
		dirs = append(dirs, strings.TrimSuffix(root+m.point+rel, "/"))
		if rel == "/" {
			break
		}
		rel = path.Dir(rel)
	}
	return dirs
}
