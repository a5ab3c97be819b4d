// Typed access to the document tree. A Field is one value with its place; a Section is one map that
// remembers which keys were asked for and reports the others when it goes out of scope. Nothing
// here stops at a fault: each is noted and reading goes on, so that one run finds them all.
// Lifetime: both point into the tree and the fault list of the load that made them.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/config/document.h"
#include "proxy/config/load.h"

namespace sworn::config {

/// A value as it may stand in a message: quoted, escaped, at most 60 bytes of it.
[[nodiscard]] std::string shown(std::string_view value);

/// ` (did you mean "host"?)` where one of `known` is close to `word`, else "".
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& known);

/// "a, b or c"
[[nodiscard]] std::string listed(const std::vector<std::string>& words);

class Field {
public:
    Field() = default;  ///< Absent.
    Field(const Node& node, int line, std::string key, Faults& faults)
        : node_{&node}, line_{line}, key_{std::move(key)}, faults_{&faults} {}

    /// Present and not null: null means the default everywhere.
    explicit operator bool() const noexcept {
        return node_ != nullptr && node_->kind != Node::Kind::null;
    }
    [[nodiscard]] int line() const noexcept { return line_; }
    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    [[nodiscard]] bool is_scalar() const noexcept { return is(Node::Kind::scalar); }
    [[nodiscard]] bool is_list() const noexcept { return is(Node::Kind::list); }
    [[nodiscard]] bool is_map() const noexcept { return is(Node::Kind::map); }
    /// A scalar with exactly this text, quoted or not: programs that write YAML quote `off`.
    [[nodiscard]] bool is_word(std::string_view word) const noexcept;

    void fault(std::string message) const;

    // Each notes a fault and yields nothing where the value has another shape.
    [[nodiscard]] std::optional<std::string> text() const;         ///< Not empty.
    [[nodiscard]] std::optional<std::string> maybe_empty() const;  ///< Any scalar.
    [[nodiscard]] std::optional<bool> flag() const;
    [[nodiscard]] std::optional<std::chrono::milliseconds> duration() const;
    [[nodiscard]] std::optional<std::uint64_t> size() const;
    [[nodiscard]] std::optional<std::uint64_t> number(std::uint64_t min, std::uint64_t max) const;
    [[nodiscard]] std::optional<std::uint16_t> port() const;  ///< 1..65535
    [[nodiscard]] std::vector<Field> items() const;           ///< A list.
    [[nodiscard]] std::vector<Field> one_or_more() const;     ///< A list, or one scalar.
    [[nodiscard]] std::vector<std::pair<std::string, Field>> pairs() const;  ///< A map, free keys.

private:
    friend class Section;
    [[nodiscard]] bool is(Node::Kind kind) const noexcept {
        return node_ != nullptr && node_->kind == kind;
    }

    const Node* node_ = nullptr;
    int line_ = 0;
    std::string key_;
    Faults* faults_ = nullptr;
};

/// A word and what it stands for.
template <class E>
using Words = std::initializer_list<std::pair<std::string_view, E>>;

class Section {
public:
    /// `field` must be present; a fault unless it is a map.
    explicit Section(Field field);
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
    ~Section();  ///< Reports the keys that nobody asked for.

    /// Absent and null are both false.
    [[nodiscard]] Field get(std::string_view key);
    /// A fault where it is absent or null. `what` says what would be right.
    [[nodiscard]] Field need(std::string_view key, std::string_view what);
    [[nodiscard]] const Field& self() const noexcept { return self_; }
    void fault(std::string message) const { self_.fault(std::move(message)); }

    // The value replaces the default in `into`; absent, null and faulty leave it alone.
    void read(std::string_view key, std::string& into);
    void read(std::string_view key, bool& into);
    void read(std::string_view key, std::chrono::milliseconds& into);  ///< May be zero.
    void read(std::string_view key, std::vector<std::string>& into);   ///< A list of texts.
    void read_positive(std::string_view key, std::chrono::milliseconds& into);
    void read_size(std::string_view key, std::uint64_t& into, std::uint64_t min = 0);
    template <class N>
    void read_number(std::string_view key, N& into, std::uint64_t min, std::uint64_t max) {
        if (const auto field = get(key)) {
            if (const auto value = field.number(min, max)) into = static_cast<N>(*value);
        }
    }
    template <class E>
    void read_word(std::string_view key, E& into, Words<E> words) {
        const auto field = get(key);
        if (!field) return;
        const auto text = field.text();
        if (!text) return;
        std::vector<std::string> known;
        for (const auto& [word, value] : words) {
            if (*text == word) {
                into = value;
                return;
            }
            known.emplace_back(word);
        }
        field.fault(shown(*text) + " is not " + listed(known) + did_you_mean(*text, known));
    }

private:
    Field self_;
    std::map<std::string, const Entry*, std::less<>> entries_;  ///< The first of each key.
    std::vector<std::string> asked_;
};

}  // namespace sworn::config
