// The JSON view of an event: enumerations by their words, digests and times by their text,
// durations in milliseconds. What is empty or absent is left out, and so is `diagnostic`.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <concepts>
#include <type_traits>

#include "journal/codec.h"

namespace sworn::journal {
namespace {

namespace json = boost::json;

using Shown = std::optional<json::value>;

Shown show(bool value) {
    return json::value(value);
}

Shown show(std::unsigned_integral auto value) {
    return json::value(static_cast<std::uint64_t>(value));
}

Shown show(const std::string& value) {
    return value.empty() ? Shown{} : Shown{json::value(json::string_view{value})};
}

template <class E>
requires std::is_enum_v<E> Shown show(E value) {
    return show(std::string{to_string(value)});
}

Shown show(const Digest& value) {
    return value == Digest{} ? Shown{} : show(value.text());
}

Shown show(const InvocationId& value) {
    return show(value.text());
}

Shown show(WallTime value) {
    return value == WallTime{} ? Shown{} : show(format_rfc3339(value));
}

template <class Rep, class Period>
Shown show(std::chrono::duration<Rep, Period> value) {
    return json::value(
        std::int64_t{std::chrono::duration_cast<std::chrono::milliseconds>(value).count()});
}

template <class T>
Shown show(const std::optional<T>& value) {
    return value ? show(*value) : Shown{};
}

Shown show(const std::vector<std::string>& values) {
    if (values.empty()) return {};
    json::array list;
    for (const std::string& value : values)
        list.emplace_back(json::string_view{value});
    return json::value(std::move(list));
}

}  // namespace

json::object to_json(const Event& event) {
    json::object out;
    const auto put = [&](int, const char* name, const auto& value) {
        if (std::string_view{name} == "diagnostic") return;
        if (Shown shown = show(value)) out[name] = *std::move(shown);
    };
    put(0, "seq", event.seq);
    put(0, "type", type_of(event.body));
    put(0, "at", event.at);
    put(0, "generation", event.generation);
    put(0, "source", event.source);
    std::visit([&](const auto& e) { e.fields(e, put); }, event.body);
    return out;
}

}  // namespace sworn::journal
