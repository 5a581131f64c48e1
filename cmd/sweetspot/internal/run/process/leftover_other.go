//go:build !linux

package process

import "errors"

// livingGroups is known on Linux only.
func livingGroups() (map[int]bool, error) { return nil, errors.ErrUnsupported }
