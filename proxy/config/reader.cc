#include "proxy/config/reader.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "common/units.h"

namespace sworn::config {
namespace {

constexpr std::size_t shown_bytes_max = 60;

/// Levenshtein distance; both words are keys of a few dozen bytes.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

/// How far `known` is from `word`; nothing where they are not alike.
std::optional<std::size_t> likeness(std::string_view word, std::string_view known) {
    constexpr std::size_t word_bytes_max = 64;
    if (word.size() < 2 || word.size() > word_bytes_max) return std::nullopt;
    const std::size_t apart = distance(word, known);
    if (apart <= std::min<std::size_t>(2, word.size() / 3 + 1)) return apart;
    if (word.size() >= 3 && (known.starts_with(word) || word.starts_with(known))) return 3;
    return std::nullopt;
}

const char* kind_name(Node::Kind kind) {
    switch (kind) {
        case Node::Kind::null:
            return "nothing";
        case Node::Kind::scalar:
            return "a single value";
        case Node::Kind::list:
            return "a list";
        case Node::Kind::map:
            return "a map";
    }
    return "";
}

bool is_bare_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string shown(std::string_view value) {
    std::string out = "\"";
    for (const char c : value.substr(0, shown_bytes_max)) {
        out += c >= ' ' && c < 0x7f ? c : '?';
    }
    if (value.size() > shown_bytes_max) out += "...";
    return out + "\"";
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
    const std::string* best = nullptr;
    std::size_t best_distance = 0;
    for (const std::string& candidate : known) {
        const auto apart = likeness(word, candidate);
        if (apart && (best == nullptr || *apart < best_distance)) {
            best = &candidate;
            best_distance = *apart;
        }
    }
    return best == nullptr ? "" : " (did you mean \"" + *best + "\"?)";
}

std::string listed(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
        out += words[i];
    }
    return out;
}

bool Field::is_word(std::string_view word) const noexcept {
    return is_scalar() && node_->text == word;
}

void Field::fault(std::string message) const {
    faults_->push_back({line_, key_, std::move(message)});
}

std::optional<std::string> Field::maybe_empty() const {
    if (!is_scalar()) {
        fault(std::string{"must be a single value, not "} + kind_name(node_->kind));
        return std::nullopt;
    }
    return node_->text;
}

std::optional<std::string> Field::text() const {
    auto value = maybe_empty();
    if (value && value->empty()) {
        fault("must not be empty");
        return std::nullopt;
    }
    return value;
}

std::optional<bool> Field::flag() const {
    if (is_word("true")) return true;
    if (is_word("false")) return false;
    const auto value = maybe_empty();
    if (value) fault(shown(*value) + " is not true or false");
    return std::nullopt;
}

std::optional<std::chrono::milliseconds> Field::duration() const {
    const auto value = text();
    if (!value) return std::nullopt;
    const auto parsed = parse_duration(*value);
    if (!parsed) {
        fault(is_bare_number(*value)
                  ? "the number " + shown(*value) + " needs a unit: " + *value + "s or " + *value +
                        "ms"
                  : shown(*value) + " is not a duration like 500ms, 30s, 10m, 24h or 90d");
    }
    return parsed;
}

std::optional<std::uint64_t> Field::size() const {
    const auto value = text();
    if (!value) return std::nullopt;
    const auto parsed = parse_size(*value);
    if (!parsed) {
        fault(is_bare_number(*value)
                  ? "the number " + shown(*value) + " needs a unit: " + *value + "B or " + *value +
                        "KiB"
                  : shown(*value) + " is not a size like 512B, 64KiB, 16MiB or 10GiB");
    }
    return parsed;
}

std::optional<std::uint64_t> Field::number(std::uint64_t min, std::uint64_t max) const {
    const auto value = text();
    if (!value) return std::nullopt;
    std::uint64_t parsed = 0;
    const char* end = value->data() + value->size();
    const auto [rest, error] = std::from_chars(value->data(), end, parsed);
    const bool plain = !node_->quoted && is_bare_number(*value) && error == std::errc{} &&
                       rest == end && (value->size() == 1 || value->front() != '0');
    if (!plain || parsed < min || parsed > max) {
        fault(shown(*value) + " is not a whole number from " + std::to_string(min) + " to " +
              std::to_string(max));
        return std::nullopt;
    }
    return parsed;
}

std::optional<std::uint16_t> Field::port() const {
    const auto value = number(1, 65535);
    if (!value) return std::nullopt;
    return static_cast<std::uint16_t>(*value);
}

std::vector<Field> Field::items() const {
    std::vector<Field> fields;
    if (!is_list()) {
        fault(std::string{"must be a list, not "} + kind_name(node_->kind));
        return fields;
    }
    for (std::size_t i = 0; i < node_->items.size(); ++i) {
        const Node& item = node_->items[i];
        fields.emplace_back(item, item.line, key_ + "[" + std::to_string(i) + "]", *faults_);
    }
    return fields;
}

std::vector<Field> Field::one_or_more() const {
    if (is_scalar()) return {*this};
    return items();
}

std::vector<std::pair<std::string, Field>> Field::pairs() const {
    std::vector<std::pair<std::string, Field>> fields;
    if (!is_map()) {
        fault(std::string{"must be a map, not "} + kind_name(node_->kind));
        return fields;
    }
    for (const Entry& entry : node_->entries) {
        fields.emplace_back(entry.key,
                            Field{entry.value, entry.line, key_ + "." + entry.key, *faults_});
    }
    return fields;
}

Section::Section(Field field) : self_{std::move(field)} {
    if (!self_.is_map()) {
        self_.fault(std::string{"must be a map of keys, not "} + kind_name(self_.node_->kind));
        return;
    }
    for (const Entry& entry : self_.node_->entries) {
        entries_.emplace(entry.key, &entry);
    }
}

Section::~Section() {
    const std::string prefix = self_.key().empty() ? "" : self_.key() + ".";
    for (const auto& [key, entry] : entries_) {
        if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
        self_.faults_->push_back(
            {entry->line, prefix + key, "unknown key" + did_you_mean(key, asked_)});
    }
}

Field Section::get(std::string_view key) {
    asked_.emplace_back(key);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return {};
    std::string path = self_.key().empty() ? std::string{key} : self_.key() + "." + found->first;
    return Field{found->second->value, found->second->line, std::move(path), *self_.faults_};
}

Field Section::need(std::string_view key, std::string_view what) {
    Field field = get(key);
    if (field || !self_.is_map()) return field;
    const std::string path = self_.key().empty() ? "" : self_.key() + ".";
    self_.faults_->push_back({field.node_ == nullptr ? self_.line() : field.line(),
                              path + std::string{key}, "is required: " + std::string{what}});
    return field;
}

void Section::read(std::string_view key, std::string& into) {
    if (const auto field = get(key)) {
        if (auto value = field.text()) into = std::move(*value);
    }
}

void Section::read(std::string_view key, bool& into) {
    if (const auto field = get(key)) into = field.flag().value_or(into);
}

void Section::read(std::string_view key, std::chrono::milliseconds& into) {
    if (const auto field = get(key)) into = field.duration().value_or(into);
}

void Section::read(std::string_view key, std::vector<std::string>& into) {
    const auto field = get(key);
    if (!field) return;
    into.clear();
    for (const Field& item : field.items()) {
        if (auto value = item.text()) into.push_back(std::move(*value));
    }
}

void Section::read_positive(std::string_view key, std::chrono::milliseconds& into) {
    const auto field = get(key);
    if (!field) return;
    const auto value = field.duration();
    if (!value) return;
    if (value->count() == 0) {
        field.fault("must be longer than zero");
        return;
    }
    into = *value;
}

void Section::read_size(std::string_view key, std::uint64_t& into, std::uint64_t min) {
    const auto field = get(key);
    if (!field) return;
    const auto value = field.size();
    if (!value) return;
    if (*value < min) {
        field.fault("must be at least " + std::to_string(min) + "B");
        return;
    }
    into = *value;
}

}  // namespace sworn::config
