// docs/openapi.yaml and the router's table say the same.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <set>
#include <sstream>
#include <string>

#include "proxy/control/router.h"

namespace sworn::control {
namespace {

YAML::Node openapi() {
    return YAML::LoadFile(std::string{SWORN_SOURCE_DIR} + "/docs/openapi.yaml");
}

/// Every operation as "GET /path", with its node.
std::map<std::string, YAML::Node> described() {
    std::map<std::string, YAML::Node> operations;
    for (const auto& path : openapi()["paths"]) {
        for (const auto& entry : path.second) {
            auto method = entry.first.as<std::string>();
            if (method == "parameters") continue;
            std::ranges::transform(method, method.begin(), ::toupper);
            operations.emplace(method + " " + path.first.as<std::string>(), entry.second);
        }
    }
    return operations;
}

std::string name_of(const Row& row) {
    return std::string{row.method} + " " + std::string{row.path};
}

TEST(OpenApi, DescribesEveryRowAndNothingElse) {
    std::set<std::string> in_table, in_document;
    for (const Row& row : rows())
        in_table.insert(name_of(row));
    for (const auto& [name, operation] : described())
        in_document.insert(name);
    EXPECT_EQ(in_document, in_table);
}

TEST(OpenApi, NamesTheQueryParametersOfEveryRow) {
    const auto operations = described();
    for (const Row& row : rows()) {
        SCOPED_TRACE(name_of(row));
        std::set<std::string> in_table, in_document;
        std::istringstream words{std::string{row.parameters}};
        for (std::string word; words >> word;)
            in_table.insert(word);
        for (const auto& parameter : operations.at(name_of(row))["parameters"]) {
            if (!parameter["in"]) continue;
            EXPECT_EQ(parameter["in"].as<std::string>(), "query");
            in_document.insert(parameter["name"].as<std::string>());
        }
        EXPECT_EQ(in_document, in_table);
    }
}

TEST(OpenApi, SaysOfEveryOperationWhatItAnswersAndWhoMayAsk) {
    for (const auto& [name, operation] : described()) {
        SCOPED_TRACE(name);
        EXPECT_TRUE(operation["operationId"]);
        EXPECT_TRUE(operation["summary"]);
        const bool settles = operation["responses"]["200"] || operation["responses"]["409"];
        EXPECT_TRUE(settles);
    }
    for (const Row& row : rows()) {
        SCOPED_TRACE(name_of(row));
        const bool is_open = row.open_to == OpenTo::everyone || row.open_to == OpenTo::metrics;
        const auto callers = described().at(name_of(row))["x-callers"];
        EXPECT_EQ(row.open_to == OpenTo::callers, callers.IsDefined() && callers.as<bool>());
        const auto security = described().at(name_of(row))["security"];
        EXPECT_EQ(is_open, security.IsDefined() && security.size() == 0);
    }
}

/// Every reference below `node` is collected.
void collect_references(const YAML::Node& node, std::set<std::string>& references) {
    if (node.IsSequence()) {
        for (const auto& item : node)
            collect_references(item, references);
    }
    if (!node.IsMap()) return;
    for (const auto& entry : node) {
        if (entry.first.as<std::string>() == "$ref") {
            references.insert(entry.second.as<std::string>());
        } else {
            collect_references(entry.second, references);
        }
    }
}

TEST(OpenApi, RefersToWhatItDefinesAndDefinesNothingElse) {
    const auto document = openapi();
    std::set<std::string> references, definitions;
    collect_references(document, references);
    for (const auto& kind : document["components"]) {
        if (kind.first.as<std::string>() == "securitySchemes") continue;
        for (const auto& one : kind.second) {
            definitions.insert("#/components/" + kind.first.as<std::string>() + "/" +
                               one.first.as<std::string>());
        }
    }
    EXPECT_EQ(references, definitions);
}

/// The values of a schema's `enum`.
std::set<std::string> words_of(const YAML::Node& document, const std::string& schema) {
    std::set<std::string> words;
    for (const auto& word : document["components"]["schemas"][schema]["enum"]) {
        words.insert(word.as<std::string>());
    }
    return words;
}

template <class E>
std::set<std::string> vocabulary() {
    std::set<std::string> words;
    for (const E value : all_values<E>())
        words.emplace(to_string(value));
    return words;
}

TEST(OpenApi, SpellsTheClosedVocabulariesAsTheyAre) {
    const auto document = openapi();
    EXPECT_EQ(words_of(document, "Phase"), vocabulary<Phase>());
    EXPECT_EQ(words_of(document, "Outcome"), vocabulary<Outcome>());
    EXPECT_EQ(words_of(document, "Retry"), vocabulary<Retry>());
    EXPECT_EQ(words_of(document, "Code"), vocabulary<Code>());
    EXPECT_EQ(words_of(document, "Finding"), vocabulary<Finding>());
}

}  // namespace
}  // namespace sworn::control
