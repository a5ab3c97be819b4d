// Reads tests/vectors/*.txt: one row per line, columns between '|', '#' begins a comment line.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace sworn::test {

struct Row {
    int line = 0;
    std::vector<std::string> columns;
};

inline std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return std::string{text.substr(first, text.find_last_not_of(" \t") - first + 1)};
}

/// Splits at bars outside of quotes.
inline std::vector<std::string> split_columns(std::string_view line) {
    std::vector<std::string> columns(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        if (c == '|' && !quoted) {
            columns.emplace_back();
        } else {
            columns.back() += c;
        }
    }
    for (auto& column : columns)
        column = trimmed(column);
    return columns;
}

inline std::vector<Row> read_rows(const std::string& name) {
    std::ifstream file{std::string{SWORN_SOURCE_DIR} + "/tests/vectors/" + name};
    std::vector<Row> rows;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        if (trimmed(line).empty() || line.front() == '#') continue;
        rows.push_back({number, split_columns(line)});
    }
    return rows;
}

inline std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in{text};
    std::vector<std::string> words;
    std::string word;
    while (in >> word)
        words.push_back(word);
    return words;
}

/// Takes the quotes off; \xHH is a byte, \t a tab, \\ a backslash.
inline std::string unquoted(std::string_view text) {
    std::string out;
    text = text.substr(1, text.size() - 2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            out += text[i];
        } else if (text[++i] == 'x') {
            out += static_cast<char>(std::stoi(std::string{text.substr(i + 1, 2)}, nullptr, 16));
            i += 2;
        } else {
            out += text[i] == 't' ? '\t' : text[i];
        }
    }
    return out;
}

}  // namespace sworn::test
