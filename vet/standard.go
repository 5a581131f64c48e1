package vet

import "go/types"

// standardRoots are the first elements of the paths of the standard library's
// packages.
var standardRoots = set("archive", "bufio", "builtin", "bytes", "cmd", "cmp", "compress",
	"container", "context", "crypto", "database", "debug", "embed", "encoding", "errors",
	"expvar", "flag", "fmt", "go", "hash", "html", "image", "internal", "io", "iter", "log",
	"maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime",
	"slices", "sort", "strconv", "strings", "structs", "sync", "syscall", "testing", "text",
	"time", "unicode", "unique", "unsafe", "vendor", "weak")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// An entry is what the functions of a package take: rest, but for those named.
type entry struct {
	rest                effort
	cheap, loops, waits map[string]bool
}

// standard is what the functions of the standard library take. A table is surer here
// than what the source tells, as I/O hides behind interfaces there: an http.Client
// calls a RoundTripper, an os.File a poller. Packages that are not named are opaque.
//
// Printing is I/O: where an item is printed, passing it on does not matter.
var standard = map[string]entry{
	"bufio":         {rest: opaque},
	"bytes":         {rest: cheap},
	"cmp":           {rest: cheap},
	"context":       {rest: cheap},
	"database/sql":  {rest: waits},
	"errors":        {rest: cheap},
	"fmt":           {rest: cheap, waits: set("Print", "Printf", "Println", "Fprint", "Fprintf", "Fprintln", "Scan", "Scanf", "Scanln", "Fscan", "Fscanf", "Fscanln")},
	"hash":          {rest: loops},
	"hash/fnv":      {rest: cheap},
	"hash/maphash":  {rest: cheap},
	"io":            {rest: waits, cheap: set("LimitReader", "MultiReader", "MultiWriter", "NewSectionReader", "NopCloser", "Pipe", "TeeReader")},
	"io/fs":         {rest: waits, cheap: set("ValidPath", "FileMode.IsDir", "FileMode.IsRegular", "FileMode.Perm", "FileMode.Type", "FileInfo.Name", "FileInfo.Size", "FileInfo.Mode", "FileInfo.ModTime", "FileInfo.IsDir", "DirEntry.Name", "DirEntry.IsDir", "DirEntry.Type")},
	"io/ioutil":     {rest: waits},
	"log":           {rest: waits},
	"log/slog":      {rest: waits},
	"maps":          {rest: cheap, loops: set("Clone", "Copy", "Equal", "EqualFunc", "Collect")},
	"math":          {rest: cheap},
	"math/bits":     {rest: cheap},
	"math/cmplx":    {rest: cheap},
	"math/rand":     {rest: cheap, loops: set("Perm", "Shuffle", "Rand.Perm", "Rand.Shuffle")},
	"math/rand/v2":  {rest: cheap, loops: set("Perm", "Shuffle", "Rand.Perm", "Rand.Shuffle")},
	"net":           {rest: waits, cheap: set("ParseIP", "ParseCIDR", "ParseMAC", "JoinHostPort", "SplitHostPort", "IPv4", "CIDRMask", "IP.String", "IP.To4", "IP.To16", "IP.Equal", "IPNet.Contains", "IPNet.String", "IP.Mask", "IPMask.Size")},
	"net/http":      {rest: waits, cheap: set("Header.Add", "Header.Get", "Header.Set", "Header.Del", "Header.Values", "Header.Clone", "StatusText", "CanonicalHeaderKey", "Request.Context", "Request.WithContext", "Request.UserAgent", "NewRequest", "NewRequestWithContext")},
	"net/netip":     {rest: cheap},
	"net/rpc":       {rest: waits},
	"net/smtp":      {rest: waits},
	"net/textproto": {rest: waits, cheap: set("CanonicalMIMEHeaderKey", "TrimString", "TrimBytes", "MIMEHeader.Add", "MIMEHeader.Get", "MIMEHeader.Set", "MIMEHeader.Del", "MIMEHeader.Values")},
	"net/url":       {rest: cheap},
	"os":            {rest: waits, cheap: set("Exit", "Getenv", "LookupEnv", "Getpid", "IsExist", "IsNotExist", "IsPermission", "IsTimeout", "IsPathSeparator", "File.Name", "File.Fd")},
	"os/exec":       {rest: waits},
	"path":          {rest: cheap},
	"path/filepath": {rest: cheap, waits: set("Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir")},
	"runtime":       {rest: opaque, cheap: set("NumCPU", "GOMAXPROCS", "KeepAlive", "NumGoroutine", "Gosched")},
	"slices":        {rest: loops, cheap: set("All", "Backward", "Values", "Clip", "Grow")},
	"sort":          {rest: loops},
	"strconv":       {rest: cheap},
	"strings":       {rest: cheap},
	"sync":          {rest: opaque, cheap: set("WaitGroup.Add", "WaitGroup.Done", "WaitGroup.Go"), waits: set("WaitGroup.Wait", "Cond.Wait")},
	"sync/atomic":   {rest: cheap},
	"syscall":       {rest: waits},
	"time":          {rest: cheap, waits: set("Sleep", "After", "Tick")},
	"unicode":       {rest: cheap},
	"unicode/utf16": {rest: cheap},
	"unicode/utf8":  {rest: cheap},
	"unsafe":        {rest: cheap},
}

// standardEffort returns the effort of a function of the standard library, or of a
// method of a predeclared type, which is error's.
func standardEffort(f *types.Func) (effort, bool) {
	if f.Pkg() == nil {
		return cheap, true
	}
	e, ok := standard[f.Pkg().Path()]
	if !ok {
		return opaque, false
	}
	switch name := nameOf(f); {
	case e.cheap[name]:
		return cheap, true
	case e.loops[name]:
		return loops, true
	case e.waits[name]:
		return waits, true
	}
	return e.rest, true
}
