package run

import (
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/pattern"
)

// serverVariable holds the address of the server that a worker gets its jobs from.
const serverVariable = "NATS_URL="

// credentials matches user, password and token in a list of addresses, and the scheme before them.
var credentials = pattern.Of(`(^|,)([^,:@]*://)?[^,]*@`)

// withoutPasswords takes user, password and token out of the addresses in
// serverVariable: they are the worker's, and jobs print or report their environment
// all too easily. The address stays, so that a job which needs it meets the server's
// refusal, not another server.
func withoutPasswords(environ []string) []string {
	for i, e := range environ {
		if list, ours := strings.CutPrefix(e, serverVariable); ours {
			environ[i] = serverVariable + credentials().ReplaceAllString(list, "$1$2")
		}
	}
	return environ
}
