package template

import "strings"

// splitPath returns what dirname(1) and basename(1) say of a path: the
// directory of a bare name is ".", slashes at the end do not count.
func splitPath(path string) (dir, base string) {
	if path == "" {
		return ".", ""
	}
	path = trimSlashes(path)
	i := strings.LastIndexByte(path, '/')
	switch {
	case i < 0:
		return ".", path
	case path == "/":
		return "/", "/"
	}
	return trimSlashes(path[:i+1]), path[i+1:]
}

func trimSlashes(path string) string {
	for len(path) > 1 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	return path
}

// extension returns the last element's extension with its dot. A name that
// begins with its only dot, such as .profile, has none.
func extension(path string) string {
	b := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(b, '.'); i > 0 {
		return b[i:]
	}
	return ""
}
