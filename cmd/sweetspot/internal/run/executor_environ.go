package run

import "strings"

// serverVariable holds the address of the server that a worker gets its jobs from.
const serverVariable = "NATS_URL="

// withoutPasswords takes user, password and token out of the addresses in
// serverVariable: they are the worker's, and jobs print or report their environment
// all too easily. The address stays, so that a job which needs it meets the server's
// refusal, not another server.
func withoutPasswords(environ []string) []string {
	for i, e := range environ {
		list, ours := strings.CutPrefix(e, serverVariable)
		if !ours || !strings.Contains(list, "@") {
			continue
		}
		urls := strings.Split(list, ",")
		for k, u := range urls {
			at := strings.LastIndexByte(u, '@')
			if at < 0 {
				continue
			}
			scheme, _, found := strings.Cut(u[:at], "://")
			if urls[k] = u[at+1:]; found {
				urls[k] = scheme + "://" + u[at+1:]
			}
		}
		environ[i] = serverVariable + strings.Join(urls, ",")
	}
	return environ
}
