#include "proxy/config/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace sworn::config {
namespace {

int line_of(const YAML::Mark& mark) {
    return mark.line + 1;
}

Node make_node(Node::Kind kind, const YAML::Mark& mark) {
    Node node;
    node.kind = kind;
    node.line = line_of(mark);
    return node;
}

/// No line end and no control byte gets into a message or to a terminal.
std::string printable(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, '?');
    return text;
}

bool is_custom_tag(const std::string& tag) {
    return !tag.empty() && tag != "?" && tag != "!" && !tag.starts_with("tag:yaml.org,2002:");
}

/// Builds the tree from yaml-cpp's events. A stack of open lists and maps; a finished node goes
/// into the one below it.
class TreeBuilder final : public YAML::EventHandler {
public:
    explicit TreeBuilder(Faults& faults) : faults_{faults} {}

    [[nodiscard]] Node take_root() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        finish(make_node(Node::Kind::null, mark), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            fault(mark, "an alias may not stand inside the value that it names");
            finish(make_node(Node::Kind::null, mark), YAML::NullAnchor);
            return;
        }
        // Counted before it is copied: aliases of aliases grow without bound.
        count(found->second.weight, line_of(mark));
        finish(too_large_ ? Node{} : found->second, YAML::NullAnchor);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        check_tag(mark, tag);
        Node node = make_node(Node::Kind::scalar, mark);
        node.text = value;
        node.quoted = tag == "!";
        finish(std::move(node), anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, Node::Kind::list);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, Node::Kind::map);
    }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        Node node;
        YAML::anchor_t anchor;
        std::optional<Entry> key;  ///< A map's key that waits for its value.
    };

    void fault(const YAML::Mark& mark, const char* message) {
        faults_.push_back({line_of(mark), "", message});
    }

    void check_tag(const YAML::Mark& mark, const std::string& tag) {
        if (is_custom_tag(tag)) fault(mark, "tags have no meaning here; leave it out");
    }

    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              Node::Kind kind) {
        check_tag(mark, tag);
        if (open_.size() == document_depth_max) fault(mark, "nested too deeply");
        open_.push_back({make_node(kind, mark), anchor, {}});
    }

    void close() {
        Open done = std::move(open_.back());
        open_.pop_back();
        finish(std::move(done.node), done.anchor);
    }

    void count(std::size_t nodes, int line) {
        nodes_ += nodes;
        if (nodes_ <= document_nodes_max || too_large_) return;
        too_large_ = true;
        faults_.push_back({line, "", "the document is too large"});
    }

    void finish(Node node, YAML::anchor_t anchor) {
        count(1, node.line);
        if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = open_.back();
        if (parent.node.kind == Node::Kind::list) {
            parent.node.weight += node.weight;
            parent.node.items.push_back(std::move(node));
        } else if (!parent.key) {
            parent.key = as_key(node);
        } else {
            parent.node.weight += node.weight;
            parent.key->value = std::move(node);
            parent.node.entries.push_back(std::move(*parent.key));
            parent.key.reset();
        }
    }

    Entry as_key(const Node& node) {
        // The key stands in messages.
        Entry entry{.key = printable(node.text), .line = node.line, .value = {}};
        if (node.kind != Node::Kind::scalar || entry.key != node.text) {
            faults_.push_back({node.line, "", "a key must be a plain word"});
        }
        return entry;
    }

    Faults& faults_;
    Node root_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, Node> anchors_;
    std::size_t nodes_ = 0;
    bool too_large_ = false;
};

std::string below(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
}

void report_duplicates(const Node& node, const std::string& path, Faults& faults) {
    std::map<std::string, int> seen;
    for (const Entry& entry : node.entries) {
        const std::string here = below(path, entry.key);
        const auto [first, is_new] = seen.emplace(entry.key, entry.line);
        if (!is_new) {
            faults.push_back(
                {entry.line, here,
                 "given twice; it first stands in line " + std::to_string(first->second)});
        }
        report_duplicates(entry.value, here, faults);
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        report_duplicates(node.items[i], path + "[" + std::to_string(i) + "]", faults);
    }
}

}  // namespace

Node parse_document(std::string_view yaml, Faults& faults) {
    TreeBuilder builder{faults};
    // yaml-cpp reports syntax faults by exception only; they end here.
    try {
        std::istringstream text{std::string{yaml}};
        YAML::Parser parser{text};
        if (!parser.HandleNextDocument(builder)) {
            faults.push_back({0, "", "the file is empty"});
            return {};
        }
        Faults ignored;
        TreeBuilder second{ignored};
        if (parser.HandleNextDocument(second)) {
            faults.push_back({second.take_root().line, "", "one document only; remove the '---'"});
        }
    } catch (const YAML::Exception& error) {
        // yaml-cpp quotes what it met.
        faults.push_back({error.mark.is_null() ? 0 : line_of(error.mark), "",
                          "this is not YAML: " + printable(error.msg)});
        return {};
    }
    Node root = builder.take_root();
    report_duplicates(root, "", faults);
    return root;
}

}  // namespace sworn::config
