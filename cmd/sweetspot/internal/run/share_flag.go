package run

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/share"
)

// shareFlag is the name that runs share, or "".
type shareFlag string

// Set implements pflag.Value.
func (s *shareFlag) Set(name string) error {
	if name != "" {
		if err := share.CheckName(name); err != nil {
			return err
		}
	}
	*s = shareFlag(name)
	return nil
}

func (s *shareFlag) String() string { return string(*s) }
func (s *shareFlag) Type() string   { return "NAME" }

// join joins the runs of that name. It returns nil if there is none.
func (s shareFlag) join() (*sweetspot.Sharing, error) {
	if s == "" {
		return nil, nil
	}
	sharing, err := sweetspot.Share(string(s))
	if err != nil {
		return nil, fmt.Errorf("--share: %w", err)
	}
	return sharing, nil
}
