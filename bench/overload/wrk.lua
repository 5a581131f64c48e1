-- Times each answer of a server that echoes a request's id, and prints them, in µs, after
-- the counts: wrk itself has no times by status. The argument is how many seconds at the
-- start do not count.
local ffi = require("ffi")
ffi.cdef [[
	typedef struct { long s; long ns; } sweetspot_time;
	int clock_gettime(int clock, sweetspot_time *t);
]]
local time = ffi.new("sweetspot_time")
local function now()
	ffi.C.clock_gettime(1, time) -- monotonic
	return tonumber(time.s) + tonumber(time.ns) / 1e9
end

local threads = {}
function setup(thread) table.insert(threads, thread) end

local sent, id, from = {}, 0, 0
function init(args)
	answers, refusals, took = 0, 0, {}
	from = now() + tonumber(args[1])
end

function request()
	id = id + 1
	sent[id] = now()
	return wrk.format("GET", "/?" .. id)
end

function response(status, headers)
	local t, of = now(), tonumber(headers["X-Id"])
	if t >= from then
		if status == 503 then
			refusals = refusals + 1
		else
			answers = answers + 1
			took[answers] = math.floor((t - sent[of]) * 1e6)
		end
	end
	sent[of] = nil
end

function done(summary)
	local e = summary.errors
	local refused = 0
	for _, thread in ipairs(threads) do refused = refused + thread:get("refusals") end
	print("sweetspot", refused, e.connect + e.read + e.write, e.timeout)
	for _, thread in ipairs(threads) do
		for _, us in ipairs(thread:get("took")) do print(us) end
	end
end
