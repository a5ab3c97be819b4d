#include "proxy/io/tls_bio.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

#include "common/assert.h"

namespace sworn::io {
namespace {

SocketBioState& state_of(BIO* bio) {
    auto* const state = static_cast<SocketBioState*>(BIO_get_data(bio));
    SWORN_ASSERT(state != nullptr);
    return *state;
}

bool try_again(int error) noexcept {
    return error == EAGAIN || error == EINTR;
}

int take_ahead(SocketBioState& state, char* into, int size) {
    const std::size_t rest = state.ahead.size() - state.ahead_taken;
    const std::size_t count = std::min(rest, static_cast<std::size_t>(size));
    std::memcpy(into, state.ahead.data() + state.ahead_taken, count);
    state.ahead_taken += count;
    return static_cast<int>(count);
}

int bio_read(BIO* bio, char* into, int size) {
    SocketBioState& state = state_of(bio);
    BIO_clear_retry_flags(bio);
    if (size <= 0) return 0;
    if (state.ahead_taken < state.ahead.size()) return take_ahead(state, into, size);
    const auto got = ::recv(state.descriptor, into, static_cast<std::size_t>(size), MSG_DONTWAIT);
    if (got > 0) return static_cast<int>(got);
    if (got == 0) {
        state.fin_seen = true;
        return 0;
    }
    if (try_again(errno)) {
        BIO_set_retry_read(bio);
    } else {
        state.error = errno;
    }
    return -1;
}

int bio_write(BIO* bio, const char* from, int size) {
    SocketBioState& state = state_of(bio);
    BIO_clear_retry_flags(bio);
    if (size <= 0) return 0;
    const auto sent =
        ::send(state.descriptor, from, static_cast<std::size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<int>(sent);
    if (try_again(errno)) {
        BIO_set_retry_write(bio);
    } else {
        state.error = errno;
    }
    return -1;
}

long bio_ctrl(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_FLUSH) return 1;
    if (command == BIO_CTRL_EOF) return state_of(bio).fin_seen ? 1 : 0;
    return 0;
}

BIO_METHOD* make_method() {
    BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "sworn");
    SWORN_ASSERT(method != nullptr);
    BIO_meth_set_read(method, bio_read);
    BIO_meth_set_write(method, bio_write);
    BIO_meth_set_ctrl(method, bio_ctrl);
    return method;
}

}  // namespace

BIO* make_socket_bio(SocketBioState& state) {
    static BIO_METHOD* const method = make_method();
    BIO* const bio = BIO_new(method);
    SWORN_ASSERT(bio != nullptr);
    BIO_set_data(bio, &state);
    BIO_set_init(bio, 1);
    return bio;
}

}  // namespace sworn::io
