package httplimit

var RetryAfter = retryAfter
