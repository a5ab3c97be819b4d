#include "proxy/connect/resolver.h"

#include <boost/asio/basic_waitable_timer.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "proxy/connect/ares_channel.h"

namespace sworn::connect {
namespace {

namespace asio = boost::asio;
namespace ip = asio::ip;
using std::chrono::steady_clock;
using Timer =
    asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, io::Executor>;

std::optional<ip::address> literal(const std::string& text) {
    boost::system::error_code not_one;
    const auto address = ip::make_address(text, not_one);
    if (not_one) return std::nullopt;
    return address;
}

std::string normal_form(std::string name) {
    if (name.size() > 1 && name.back() == '.') name.pop_back();
    std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return name;
}

/// What became of one family's question; nothing yet while it is open.
using Answers = std::array<std::optional<DnsAnswer>, 2>;

std::vector<ip::address> in_turns(const Answers& answers) {
    std::vector<ip::address> mixed;
    for (std::size_t i = 0; mixed.size() < Resolver::addresses_max; ++i) {
        bool any = false;
        for (const auto& answer : answers) {
            if (!answer || i >= answer->addresses.size()) continue;
            any = true;
            if (mixed.size() < Resolver::addresses_max) mixed.push_back(answer->addresses[i]);
        }
        if (!any) break;
    }
    return mixed;
}

/// How much a failure says about the name: the higher one speaks for both families.
int weight(const std::optional<DnsAnswer>& answer) noexcept {
    if (!answer) return 2;  // Still open when the time was up.
    switch (answer->kind) {
        case DnsAnswer::Kind::no_such_name:
            return 4;
        case DnsAnswer::Kind::failed:
            return 3;
        case DnsAnswer::Kind::timed_out:
            return 2;
        case DnsAnswer::Kind::no_addresses:
            return 1;
        case DnsAnswer::Kind::addresses:
            return 0;
    }
    return 0;
}

Resolution judge(const Answers& answers) {
    Resolution out;
    out.addresses = in_turns(answers);
    if (!out.addresses.empty()) return out;
    const auto& speaks = weight(answers[0]) >= weight(answers[1]) ? answers[0] : answers[1];
    if (speaks) out.rcode = speaks->rcode;
    switch (weight(speaks)) {
        case 4:
            out.failure = AttemptCode::NXDOMAIN;
            break;
        case 2:
            out.failure = AttemptCode::DNS_TIMEOUT;
            break;
        default:
            out.failure = AttemptCode::DNS_FAILED;
            break;
    }
    return out;
}

/// One resolution under way; shared by its coroutine and its two questions.
struct Pending final : io::Expiry {
    explicit Pending(io::ThreadContext& thread)
        : signal{thread.context.get_executor(), steady_clock::time_point::max()},
          deadline{thread.wheel, *this} {}

    void answered(Family family, DnsAnswer answer) {
        if (done) return;
        answers[static_cast<std::size_t>(family)] = std::move(answer);
        if (answers[0] && answers[1]) {
            finish();
        } else if (!in_turns(answers).empty()) {
            // The other family may only come before what is left of the limit, too.
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now());
            deadline.arm(std::clamp(left, std::chrono::milliseconds{0}, Resolver::straggler_max));
        }
    }

    void finish() noexcept {
        done = true;
        deadline.disarm();
        signal.cancel();
    }

    void expired() noexcept override { finish(); }

    Answers answers;
    Timer signal;  ///< Never expires; its cancellation wakes the coroutine.
    io::Deadline deadline;
    SteadyTime until{};
    bool done = false;
};

}  // namespace

struct Resolver::Impl {
    Impl(io::ThreadContext& thread_in, const config::Network& network)
        : thread{thread_in},
          others{thread_in, network.nameservers, AresChannel::Refusal::asks_the_next_server},
          channel{thread_in, network.nameservers, AresChannel::Refusal::ends_with_its_code} {
        for (const auto& [name, texts] : network.resolve) {
            auto& addresses = fixed[name];
            for (const auto& text : texts) {
                if (const auto address = literal(text)) addresses.push_back(*address);
            }
        }
    }

    /// An answer that needs no name server; nothing if one has to be asked.
    std::optional<Resolution> at_once(const std::string& name) {
        Resolution out;
        if (const auto found = fixed.find(name); found != fixed.end()) {
            out.addresses = found->second;
        } else if (const auto address = literal(name)) {
            out.addresses.push_back(*address);
        } else if (!name.empty()) {
            out.addresses = channel.hosts_file(name);
            // RFC 6761 section 6.3: loopback, with or without a hosts file; never asked for.
            if (out.addresses.empty() && name == "localhost") {
                out.addresses = {asio::ip::address_v4::loopback(),
                                 asio::ip::address_v6::loopback()};
            }
            if (out.addresses.empty()) return std::nullopt;
        }
        if (out.addresses.size() > addresses_max) out.addresses.resize(addresses_max);
        return out;
    }

    std::shared_ptr<Pending> ask(const std::string& name, std::chrono::milliseconds limit) {
        const auto pending = std::make_shared<Pending>(thread);
        pending->until = steady_clock::now() + limit;
        pending->deadline.arm(limit);
        for (const Family family : {Family::v4, Family::v6}) {
            channel.ask(name, family, [this, pending, name, family](DnsAnswer answer) {
                first_answered(pending, name, family, std::move(answer));
            });
        }
        return pending;
    }

    /// A server that refuses is not the last word where there are others; its code is, if they
    /// do no better.
    void first_answered(const std::shared_ptr<Pending>& pending, const std::string& name,
                        Family family, DnsAnswer answer) {
        const bool refused = answer.kind == DnsAnswer::Kind::failed && !answer.rcode.empty();
        if (!refused || pending->done || !others.has_several_servers()) {
            pending->answered(family, std::move(answer));
            return;
        }
        others.ask(name, family, [pending, family, answer](DnsAnswer second) {
            const bool better =
                second.kind != DnsAnswer::Kind::failed && second.kind != DnsAnswer::Kind::timed_out;
            pending->answered(family, better ? std::move(second) : answer);
        });
    }

    io::ThreadContext& thread;
    std::map<std::string, std::vector<ip::address>> fixed;
    AresChannel others;   ///< Goes on to the next server where one refuses.
    AresChannel channel;  ///< Asked first. Destroyed first: its last answers may use the others.
};

Resolver::Resolver(io::ThreadContext& thread, const config::Network& network)
    : impl_{std::make_unique<Impl>(thread, network)} {}

Resolver::~Resolver() = default;

io::Task<Resolution> Resolver::resolve(std::string name, std::chrono::milliseconds limit) {
    name = normal_form(std::move(name));
    if (auto known = impl_->at_once(name)) co_return std::move(*known);
    const std::shared_ptr<Pending> pending = impl_->ask(name, limit);
    // From here on nothing of the resolver is touched: it may go while this waits.
    if (!pending->done) {
        const auto [cancelled] = co_await pending->signal.async_wait(io::no_throw);
        static_cast<void>(cancelled);
    }
    pending->finish();  // Where the coroutine was cancelled, answers still come.
    co_return judge(pending->answers);
}

}  // namespace sworn::connect
