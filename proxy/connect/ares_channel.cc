#include "proxy/connect/ares_channel.h"

#include <ares.h>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <algorithm>
#include <arpa/nameser.h>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <netdb.h>
#include <span>
#include <sys/time.h>

#include "common/assert.h"

namespace sworn::connect {
namespace {

namespace asio = boost::asio;
namespace ip = asio::ip;
using Descriptor = asio::posix::basic_stream_descriptor<io::Executor>;

constexpr int first_try_ms = 1'000;  // Doubled on each round over the servers.
constexpr int tries = 4;
constexpr int answers_max = 64;

void start_library() {
    static std::once_flag once;
    std::call_once(once,
                   [] { SWORN_ASSERT(ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS); });
}

DnsAnswer failure_of(int status) {
    using Kind = DnsAnswer::Kind;
    switch (status) {
        case ARES_ENOTFOUND:
            return {Kind::no_such_name, {}, "NXDOMAIN"};
        case ARES_ENODATA:
            return {Kind::no_addresses, {}, "NOERROR"};
        case ARES_ETIMEOUT:
            return {Kind::timed_out, {}, {}};
        case ARES_ESERVFAIL:
            return {Kind::failed, {}, "SERVFAIL"};
        case ARES_EREFUSED:
            return {Kind::failed, {}, "REFUSED"};
        case ARES_ENOTIMP:
            return {Kind::failed, {}, "NOTIMP"};
        case ARES_EFORMERR:
            return {Kind::failed, {}, "FORMERR"};
        default:
            return {Kind::failed, {}, {}};
    }
}

template <class Address>
ip::address address_from(const void* network_order) {
    typename Address::bytes_type raw{};
    std::memcpy(raw.data(), network_order, raw.size());
    return Address{raw};
}

DnsAnswer read_v4(const unsigned char* bytes, int size) {
    std::array<ares_addrttl, answers_max> found{};
    int count = answers_max;
    const int status = ares_parse_a_reply(bytes, size, nullptr, found.data(), &count);
    if (status != ARES_SUCCESS) return failure_of(status);
    DnsAnswer answer{DnsAnswer::Kind::addresses, {}, {}};
    for (const auto& one : std::span{found}.first(static_cast<std::size_t>(count))) {
        answer.addresses.push_back(address_from<ip::address_v4>(&one.ipaddr));
    }
    return answer;
}

DnsAnswer read_v6(const unsigned char* bytes, int size) {
    std::array<ares_addr6ttl, answers_max> found{};
    int count = answers_max;
    const int status = ares_parse_aaaa_reply(bytes, size, nullptr, found.data(), &count);
    if (status != ARES_SUCCESS) return failure_of(status);
    DnsAnswer answer{DnsAnswer::Kind::addresses, {}, {}};
    for (const auto& one : std::span{found}.first(static_cast<std::size_t>(count))) {
        answer.addresses.push_back(address_from<ip::address_v6>(&one.ip6addr));
    }
    return answer;
}

DnsAnswer read(Family family, const unsigned char* bytes, int size) {
    DnsAnswer answer = family == Family::v4 ? read_v4(bytes, size) : read_v6(bytes, size);
    if (answer.kind == DnsAnswer::Kind::addresses && answer.addresses.empty()) {
        return failure_of(ARES_ENODATA);
    }
    return answer;
}

/// Owned by c-ares until its callback, which it calls exactly once.
struct Question {
    Family family;
    std::function<void(DnsAnswer)> done;
};

void answered(void* argument, int status, int, unsigned char* bytes, int size) {
    const std::unique_ptr<Question> question{static_cast<Question*>(argument)};
    question->done(status == ARES_SUCCESS ? read(question->family, bytes, size)
                                          : failure_of(status));
}

/// One of c-ares's sockets. c-ares opens and closes it; Asio only watches.
struct Watch {
    explicit Watch(io::ThreadContext& thread) : socket{thread.context.get_executor()} {}
    Descriptor socket;
    bool gone = false;  ///< c-ares is done with it; a wait that still ends must not touch c-ares.
    bool read = false, write = false;                  ///< Wanted.
    bool read_pending = false, write_pending = false;  ///< Waited for.
};
using WatchPtr = std::shared_ptr<Watch>;

}  // namespace

struct AresChannel::Impl final : io::Expiry {
    explicit Impl(io::ThreadContext& thread_in) : thread{thread_in} {}

    static void socket_changed(void* self, ares_socket_t fd, int readable, int writable) {
        static_cast<Impl*>(self)->follow(fd, readable != 0, writable != 0);
    }

    void follow(ares_socket_t fd, bool readable, bool writable) {
        const auto at = watches.find(fd);
        if (!readable && !writable) {
            if (at == watches.end()) return;
            at->second->gone = true;
            at->second->socket.release();  // c-ares closes it right after this.
            watches.erase(at);
            return;
        }
        WatchPtr watch = at == watches.end() ? nullptr : at->second;
        if (!watch) {
            watch = std::make_shared<Watch>(thread);
            boost::system::error_code failed;
            watch->socket.assign(fd, failed);
            if (failed) return;  // Nobody answers: the question times out.
            watches.emplace(fd, watch);
        }
        watch->read = readable;
        watch->write = writable;
        wait(fd, watch);
    }

    void wait(ares_socket_t fd, const WatchPtr& watch) {
        if (watch->read && !watch->read_pending) {
            watch->read_pending = true;
            watch->socket.async_wait(Descriptor::wait_read,
                                     [this, fd, watch](const boost::system::error_code& ec) {
                                         watch->read_pending = false;
                                         if (!watch->gone && !ec) ready(fd, ARES_SOCKET_BAD, watch);
                                     });
        }
        if (watch->write && !watch->write_pending) {
            watch->write_pending = true;
            watch->socket.async_wait(Descriptor::wait_write,
                                     [this, fd, watch](const boost::system::error_code& ec) {
                                         watch->write_pending = false;
                                         if (!watch->gone && !ec) ready(ARES_SOCKET_BAD, fd, watch);
                                     });
        }
    }

    void ready(ares_socket_t to_read, ares_socket_t to_write, const WatchPtr& watch) {
        ares_process_fd(channel, to_read, to_write);
        const ares_socket_t fd = to_read != ARES_SOCKET_BAD ? to_read : to_write;
        if (!watch->gone) wait(fd, watch);
        keep_time();
    }

    void keep_time() {
        timeval longest{60, 0};
        timeval next{};
        if (watches.empty() || ares_timeout(channel, &longest, &next) == nullptr) {
            deadline.disarm();
            return;
        }
        deadline.arm(std::chrono::milliseconds{next.tv_sec * 1'000 + next.tv_usec / 1'000 + 1});
    }

    void expired() noexcept override {
        ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
        keep_time();
    }

    io::ThreadContext& thread;
    std::map<ares_socket_t, WatchPtr> watches;
    io::Deadline deadline{thread.wheel, *this};
    ares_channel channel = nullptr;
};

AresChannel::AresChannel(io::ThreadContext& thread, const std::vector<std::string>& servers,
                         Refusal refusal)
    : impl_{std::make_unique<Impl>(thread)} {
    start_library();
    ares_options options{};
    options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES;
    if (refusal == Refusal::ends_with_its_code) options.flags |= ARES_FLAG_NOCHECKRESP;
    options.timeout = first_try_ms;
    options.tries = tries;
    options.sock_state_cb = &Impl::socket_changed;
    options.sock_state_cb_data = impl_.get();
    const int set = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
    SWORN_ASSERT(ares_init_options(&impl_->channel, &options, set) == ARES_SUCCESS);
    if (servers.empty()) return;
    std::string list;
    for (const auto& server : servers)
        list += (list.empty() ? "" : ",") + server;
    // The configuration was checked; with a list that c-ares refuses, questions go nowhere else.
    if (ares_set_servers_ports_csv(impl_->channel, list.c_str()) != ARES_SUCCESS) {
        ares_set_servers_ports(impl_->channel, nullptr);
    }
}

AresChannel::~AresChannel() {
    ares_destroy(impl_->channel);
}

void AresChannel::ask(const std::string& name, Family family, std::function<void(DnsAnswer)> done) {
    auto question = std::make_unique<Question>(Question{family, std::move(done)});
    const int type = family == Family::v4 ? ns_t_a : ns_t_aaaa;
    ares_query(impl_->channel, name.c_str(), ns_c_in, type, answered, question.release());
    impl_->keep_time();
}

bool AresChannel::has_several_servers() const {
    ares_addr_port_node* list = nullptr;
    if (ares_get_servers_ports(impl_->channel, &list) != ARES_SUCCESS) return false;
    const bool several = list != nullptr && list->next != nullptr;
    ares_free_data(list);
    return several;
}

std::vector<ip::address> AresChannel::hosts_file(const std::string& name) {
    std::vector<ip::address> found;
    for (const int family : {AF_INET, AF_INET6}) {
        hostent* entry = nullptr;
        const int status = ares_gethostbyname_file(impl_->channel, name.c_str(), family, &entry);
        if (status != ARES_SUCCESS) continue;
        for (char** at = entry->h_addr_list; *at != nullptr; ++at)
            found.push_back(family == AF_INET ? address_from<ip::address_v4>(*at)
                                              : address_from<ip::address_v6>(*at));
        ares_free_hostent(entry);
    }
    return found;
}

}  // namespace sworn::connect
