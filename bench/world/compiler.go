package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// compilees are packages of the standard library that take the compiler 30 to 110
// ms of CPU time each (Go 1.26 on 2 vCPUs): some 30 a second.
var compilees = strings.Fields(`bufio compress/lzw container/list context encoding/ascii85
	encoding/base64 encoding/csv encoding/hex encoding/pem errors go/scanner go/token hash/crc64
	hash/fnv html image/color io io/fs log mime/quotedprintable path path/filepath strconv
	text/scanner text/tabwriter unicode/utf8`)

// A compilee is a package as go list prints it.
type compilee struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// openCompiler returns units that compile a package each, in turn, by a process of
// the compiler.
func openCompiler(ctx context.Context, h *host) (unit, error) {
	tools, err := goCommand(ctx, "env", "GOTOOLDIR")
	if err != nil {
		return nil, err
	}
	list, err := goCommand(ctx, append([]string{"list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}, compilees...)...)
	if err != nil {
		return nil, err
	}
	var chosen []compilee
	var imports strings.Builder
	for d := json.NewDecoder(strings.NewReader(list)); d.More(); {
		var c compilee
		if err := d.Decode(&c); err != nil {
			return nil, err
		}
		if c.Export != "" {
			fmt.Fprintf(&imports, "packagefile %s=%s\n", c.ImportPath, c.Export)
		}
		if !c.DepOnly {
			chosen = append(chosen, c)
		}
	}
	config := h.path("importcfg")
	if err := os.WriteFile(config, []byte(imports.String()), 0o600); err != nil {
		return nil, err
	}
	var next atomic.Uint64
	return func(ctx context.Context) error {
		i := next.Add(1)
		c := chosen[i%uint64(len(chosen))]
		out := h.path(fmt.Sprintf("%d.a", i))
		defer os.Remove(out)
		args := append([]string{"-o", out, "-p", c.ImportPath, "-std", "-pack", "-importcfg", config}, c.GoFiles...)
		cmd := exec.CommandContext(ctx, filepath.Join(tools, "compile"), args...)
		cmd.Dir = c.Dir
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("compile %s: %w: %s", c.ImportPath, err, said)
		}
		return nil
	}, nil
}
