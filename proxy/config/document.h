// A YAML text as a plain tree in which every key and value knows its line. The only code that names
// yaml-cpp is behind parse_document(). Anchors are copied in; tags, several documents, nested
// keys and duplicate keys are faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/config/load.h"

namespace sworn::config {

/// Deeper nesting and larger documents (aliases counted once per use) are faults.
inline constexpr std::size_t document_depth_max = 32;
inline constexpr std::size_t document_nodes_max = 200'000;

struct Entry;

struct Node {
    enum class Kind : std::uint8_t { null, scalar, list, map };
    Kind kind = Kind::null;
    int line = 0;                ///< 1-based.
    std::string text;            ///< scalar
    bool quoted = false;         ///< A quoted scalar is text, never a number, a word or null.
    std::vector<Node> items;     ///< list
    std::vector<Entry> entries;  ///< map, in the order of the file
    std::size_t weight = 1;      ///< Nodes in this tree.
};

struct Entry {
    std::string key;
    int line = 0;  ///< Of the key.
    Node value;
};

/// The document's root. Adds every fault that it meets to `faults`; after a syntax fault the rest
/// of the text is not read, and the tree ends there.
[[nodiscard]] Node parse_document(std::string_view yaml, Faults& faults);

}  // namespace sworn::config
