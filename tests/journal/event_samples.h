// Every event type with every field set to something that is not its default, by walking the same
// field lists that the codec walks.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "journal/event.h"
#include "journal/wire.h"

namespace sworn::journal::samples {

/// Visitor of fields(): gives each one a value of its own.
class Filler {
public:
    void operator()(int tag, const char* name, auto& field) {
        fill(field, static_cast<std::uint64_t>(tag) + 300, name);
    }

private:
    static void fill(bool& field, std::uint64_t, const char*) { field = !field; }
    static void fill(std::string& field, std::uint64_t n, const char* name) {
        field = std::string{name} + "\xc3\xa9\n" + std::to_string(n);
    }
    static void fill(std::uint32_t& field, std::uint64_t n, const char*) {
        field = static_cast<std::uint32_t>(n + 0xfffff000);
    }
    static void fill(std::uint64_t& field, std::uint64_t n, const char*) {
        field = n + 0xfffffffffff00000;
    }
    static void fill(Digest& field, std::uint64_t n, const char*) {
        field.bytes.fill(static_cast<std::uint8_t>(n));
    }
    static void fill(InvocationId& field, std::uint64_t n, const char*) {
        field.bytes.fill(static_cast<std::uint8_t>(n));
    }
    static void fill(std::vector<std::string>& field, std::uint64_t, const char* name) {
        field = {name, "", "three"};
    }
    static void fill(WallTime& field, std::uint64_t n, const char*) {
        field = WallTime{std::chrono::microseconds{1'790'000'000'000'000 + n}};
    }
    template <class Rep, class Period>
    static void fill(std::chrono::duration<Rep, Period>& field, std::uint64_t n, const char*) {
        field = std::chrono::duration<Rep, Period>{n};
    }
    template <class T>
    static void fill(std::optional<T>& field, std::uint64_t n, const char* name) {
        fill(field.emplace(), n, name);
    }
    template <class E>
    requires std::is_enum_v<E>
    static void fill(E& field, std::uint64_t, const char*) {
        const E last = wire::last_value<E>;
        field = field == last ? static_cast<E>(0) : last;
    }
};

template <class E>
E filled() {
    E event;
    E::fields(event, Filler{});
    return event;
}

namespace detail {
template <std::size_t... Index>
std::vector<EventBody> all_bodies(bool full, std::index_sequence<Index...>) {
    return {(full ? EventBody{filled<std::variant_alternative_t<Index, EventBody>>()}
                  : EventBody{std::variant_alternative_t<Index, EventBody>{}})...};
}
}  // namespace detail

using AllEvents = std::make_index_sequence<std::variant_size_v<EventBody>>;
inline std::vector<EventBody> all_filled() {
    return detail::all_bodies(true, AllEvents{});
}
inline std::vector<EventBody> all_default() {
    return detail::all_bodies(false, AllEvents{});
}

inline Event event_of(EventBody body) {
    Event event;
    event.seq = 4711;
    event.ordinal = 7;
    event.at = WallTime{std::chrono::microseconds{1'790'000'000'123'456}};
    event.generation = 2;
    event.source = Source::transport_observed;
    event.body = std::move(body);
    return event;
}

/// Equal in every field, by the field lists.
template <class E>
bool same_fields(const E& left, const E& right) {
    std::vector<const void*> others;
    E::fields(right, [&](int, const char*, const auto& field) { others.push_back(&field); });
    std::size_t index = 0;
    bool same = true;
    E::fields(left, [&]<class T>(int, const char*, const T& field) {
        same = same && field == *static_cast<const T*>(others[index++]);
    });
    return same;
}

inline bool same(const Event& left, const Event& right) {
    if (left.seq != right.seq || left.ordinal != right.ordinal || left.at != right.at ||
        left.generation != right.generation || left.source != right.source ||
        left.body.index() != right.body.index()) {
        return false;
    }
    return std::visit(
        [&]<class E>(const E& body) { return same_fields(body, std::get<E>(right.body)); },
        left.body);
}

}  // namespace sworn::journal::samples
