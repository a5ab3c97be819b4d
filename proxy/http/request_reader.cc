#include "proxy/http/request_reader.h"

#include <algorithm>

namespace sworn::http {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds idle_tick_max{1000};

Error bad_head(Literal why, int status) {
    return Error{Code::malformed_request, why, "header", status};
}
Error bad_body(Literal why) {
    return Error{Code::malformed_request, why, "body", 400};
}

Error head_cut(io::IoEnd end) {
    if (end == io::IoEnd::cancelled) return bad_head("The header section came too slowly.", 400);
    return bad_head("The connection ended within the header section.", 400);
}
Error body_cut(io::IoEnd end) {
    if (end == io::IoEnd::cancelled) return bad_body("The body came too slowly.");
    return bad_body("The connection ended within the body.");
}

}  // namespace

RequestReader::RequestReader(io::Stream& stream, io::ThreadContext& thread, io::WorkerPool& workers,
                             const FrontSettingsSource& source)
    : stream_{stream},
      workers_{workers},
      source_{source},
      deadline_{thread, *this},
      idle_{thread, *this} {}

void RequestReader::passed() noexcept {
    stream_.cancel();
}

void RequestReader::idle_tick() noexcept {
    const auto left =
        std::chrono::duration_cast<milliseconds>(idle_until_ - std::chrono::steady_clock::now());
    if (left <= milliseconds{0} || source_.draining()) return stream_.cancel();
    idle_.arm(std::min(left, idle_tick_max));
}

io::Task<io::IoEnd> RequestReader::fill() {
    const auto room = buffer_.prepare();
    const auto got = co_await stream_.read_some(room, milliseconds{0});
    if (got.ok()) buffer_.commit(got.bytes);
    saw_end_ = saw_end_ || got.end == io::IoEnd::eof || got.end == io::IoEnd::truncated;
    saw_reset_ = saw_reset_ || got.end == io::IoEnd::reset;
    co_return got.end;
}

io::Task<io::IoEnd> RequestReader::await_request(milliseconds idle_max) {
    idle_until_ = std::chrono::steady_clock::now() + idle_max;
    bool skipped = false;
    while (buffer_.empty()) {
        idle_.arm(std::min(idle_max, idle_tick_max));
        const auto end = co_await fill();
        idle_.disarm();
        if (end != io::IoEnd::ok) co_return end;
        // Some clients end a body with one more line end; that alone begins no request.
        if (!skipped && buffer_.view() == "\r\n") {
            skipped = true;
            buffer_.clear();
        }
    }
    co_return io::IoEnd::ok;
}

io::Task<Result<RequestHead>> RequestReader::read_head(const FrontSettings& settings) {
    HeadEnd head_end;
    deadline_.arm(settings.timeouts.request_header);
    std::optional<Error> fault;
    std::optional<std::size_t> end;
    while (!fault) {
        end = head_end.find(buffer_.view());
        if (end.value_or(buffer_.size()) > settings.limits.max_header) {
            const bool line = !head_end.start_line_seen();
            fault = bad_head("The header section is too large.", line ? 414 : 431);
        } else if (end) {
            break;
        } else {
            const auto read = co_await fill();
            if (read != io::IoEnd::ok) fault = head_cut(read);
        }
    }
    deadline_.disarm();
    if (fault) co_return *fault;
    auto head = parse_request_head(buffer_.view().substr(0, *end));
    buffer_.consume(*end);
    co_return head;
}

io::Task<Status> RequestReader::read_body(BodyFraming framing, Body& body,
                                          const FrontSettings& settings) {
    BodyDecoder decoder{framing};
    std::uint64_t progress_at = body_progress_bytes;
    deadline_.arm(settings.timeouts.request_body);
    Status result = Done{};
    while (result && decoder.state() == BodyDecoder::State::more) {
        if (buffer_.empty()) {
            const auto read = co_await fill();
            if (read != io::IoEnd::ok) {
                result = body_cut(read);
                break;
            }
        }
        const auto step = decoder.next(buffer_.view());
        if (step.state == BodyDecoder::State::malformed) {
            result = bad_body("The chunk framing breaks the grammar.");
        } else if (body.size() + step.data.size() > settings.limits.max_body) {
            result =
                Error{Code::payload_limit, "The body is larger than this broker takes.", "body", 0};
        } else {
            result = co_await keep(step.data, body);
        }
        buffer_.consume(step.consumed);
        if (body.size() >= progress_at) {
            progress_at = body.size() + body_progress_bytes;
            deadline_.arm(settings.timeouts.request_body);
        }
    }
    deadline_.disarm();
    co_return result;
}

io::Task<Status> RequestReader::keep(std::string_view data, Body& body) {
    if (data.empty()) co_return Done{};
    if (!body.would_spool(data.size())) co_return body.append(data);
    auto append = [&body, &data] { return body.append(data); };
    const auto kept = co_await workers_.run(append);
    co_return kept;
}

}  // namespace sworn::http
