// A caller of the proxy with a blocking socket: it sends exactly the bytes it is told to, sees how
// a message ended, and can leave in every rude way.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sworn::test {

/// How the peer left the connection, as far as this caller has read.
enum class PeerEnd : std::uint8_t { open, fin, reset };

struct Response {
    int status = 0;
    std::string head;  ///< Status line and fields, with the empty line.
    std::string body;  ///< Without chunk framing.
    bool complete = false;
    std::vector<int> informational;  ///< 1xx that came before.

    /// All values of a field, joined by ", "; empty if there is none.
    [[nodiscard]] std::string field(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const;
    [[nodiscard]] std::string id() const { return field("Sworn-Invocation"); }
    /// The body as a JSON object; empty if it is none.
    [[nodiscard]] boost::json::object json() const;
    /// "code phase outcome retry" of an envelope.
    [[nodiscard]] std::string error() const;
    [[nodiscard]] boost::json::object evidence() const;
};

class RawCaller {
public:
    explicit RawCaller(std::uint16_t port);
    ~RawCaller();
    RawCaller(RawCaller&& other) noexcept;
    RawCaller& operator=(RawCaller&&) = delete;

    RawCaller& send(std::string_view bytes);
    /// One final response, whole or as far as it came. `method` HEAD has no body.
    [[nodiscard]] Response read_response(std::string_view method = "GET");
    /// Bytes as they come, up to and with `mark`, or until the peer ended.
    [[nodiscard]] std::string read_until(std::string_view mark);
    /// Exactly so many, or fewer if the peer ended.
    [[nodiscard]] std::string read(std::size_t count);
    [[nodiscard]] std::string read_to_end();
    /// Whether a byte can be read now.
    [[nodiscard]] bool has_bytes();
    [[nodiscard]] PeerEnd peer_end() const { return end_; }

    void fin();    ///< No more requests; still reads.
    void reset();  ///< RST.
    void close();

private:
    bool fill();
    std::string take(std::size_t count);
    bool read_chunks(std::string& body);

    int descriptor_;
    std::string buffer_;
    PeerEnd end_ = PeerEnd::open;
};

}  // namespace sworn::test
