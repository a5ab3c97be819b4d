-- A forward proxy's request line: GET http://host:port/path HTTP/1.1. TARGET is the whole URL.
local target = assert(os.getenv("TARGET"), "TARGET is not set")
local request_bytes

function init()
    wrk.headers["Host"] = target:match("^http://([^/]+)")
    request_bytes = wrk.format("GET", target)
end

function request()
    return request_bytes
end
