// Test tables kept as text (tests/vectors/*.txt). A stanza is a run of "key: value" lines, ended by
// an empty line; '#' starts a comment line. In `bytes`, \r \n \t \0 \\ and \xNN are escapes and
// \*N{c} stands for N times the octet c.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sworn::test {

using Stanza = std::map<std::string, std::string>;

inline std::string unescape(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const char c = text.front();
        text.remove_prefix(1);
        if (c != '\\' || text.empty()) {
            out += c;
            continue;
        }
        const char kind = text.front();
        text.remove_prefix(1);
        switch (kind) {
            case 'r':
                out += '\r';
                break;
            case 'n':
                out += '\n';
                break;
            case 't':
                out += '\t';
                break;
            case '0':
                out += '\0';
                break;
            case 'x':
                out += static_cast<char>(std::stoi(std::string{text.substr(0, 2)}, nullptr, 16));
                text.remove_prefix(2);
                break;
            case '*': {
                const auto brace = text.find('{');
                const auto count = std::stoul(std::string{text.substr(0, brace)});
                out.append(count, text[brace + 1]);
                text.remove_prefix(brace + 3);
                break;
            }
            default:
                out += kind;
        }
    }
    return out;
}

inline std::vector<Stanza> read_vectors(const std::string& name) {
    std::ifstream file{std::string{SWORN_SOURCE_DIR} + "/tests/vectors/" + name};
    EXPECT_TRUE(file.is_open()) << name;
    std::vector<Stanza> stanzas;
    Stanza stanza;
    for (std::string line; std::getline(file, line);) {
        if (line.empty()) {
            if (!stanza.empty()) stanzas.push_back(std::exchange(stanza, {}));
        } else if (line.front() != '#') {
            const auto colon = line.find(": ");
            stanza[line.substr(0, colon)] = colon == line.npos ? "" : line.substr(colon + 2);
        }
    }
    if (!stanza.empty()) stanzas.push_back(stanza);
    EXPECT_FALSE(stanzas.empty()) << name;
    return stanzas;
}

}  // namespace sworn::test
