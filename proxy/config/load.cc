#include "proxy/config/load.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "proxy/config/checks.h"
#include "proxy/config/draft.h"

namespace sworn::config {
namespace {

constexpr std::size_t file_bytes_max = 4u << 20;

void read_name(Section& root, Snapshot& out) {
    const auto field = root.get("name");
    if (!field) return;
    const auto text = field.text();
    if (!text) return;
    const char first = text->front();
    const bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    // A structured field's token begins with a letter, a Via pseudonym is a token.
    if (!is_token(*text) || !letter) {
        field.fault(shown(*text) + " is not a name: a letter, then letters, digits, . _ or -");
        return;
    }
    out.name = *text;
}

void read_intercept(Section& root, Draft& draft) {
    const auto field = root.get("intercept");
    if (!field) return;
    Section section{field};
    const auto cert = section.need("ca_cert", "the PEM file of the CA certificate");
    const auto key = section.need("ca_key", "the PEM file of the CA's private key");
    if (!cert || !key) return;
    const auto cert_path = cert.text();
    const auto key_path = key.text();
    if (!cert_path || !key_path) return;
    draft.out.ca_cert = anchored(draft, *cert_path);
    draft.out.ca_key = anchored(draft, *key_path);
}

void read_unknown_status(Section& root, Snapshot& out) {
    constexpr std::uint64_t failed_dependency = 424;
    const auto field = root.get("unknown_status");
    if (!field) return;
    if (!field.is_word("424")) {
        field.fault("must be null (502 and 504) or " + std::to_string(failed_dependency));
        return;
    }
    out.unknown_status = static_cast<int>(failed_dependency);
}

void read_root(const Node& node, Draft& draft, Faults& faults) {
    Section root{Field{node, node.line, "", faults}};
    if (!root.self().is_map()) return;
    read_name(root, draft.out);
    if (const auto dir = root.need("data_dir", "the folder of the journal, as in ./data")) {
        if (const auto text = dir.text()) draft.out.data_dir = anchored(draft, *text);
    }
    read_listen(root, draft);
    read_intercept(root, draft);
    read_journal(root, draft);
    read_global_limits(root, draft);
    read_global_timeouts(root, draft);
    read_unknown_status(root, draft.out);
    read_credentials(root, draft);
    read_network(root, draft);
    read_routes(root, draft);
    read_ssh_routes(root, draft);
    read_callers(root, draft);
}

}  // namespace

std::filesystem::path anchored(const Draft& draft, std::string_view path) {
    return (draft.folder / std::filesystem::path{path}).lexically_normal();
}

void read_id(Section& section, std::string& id, std::map<std::string, int>& lines) {
    const auto field = section.need("id", "a name of letters, digits, . _ and -");
    if (!field) return;
    const auto text = field.text();
    if (!text) return;
    if (!is_id(*text)) {
        field.fault(shown(*text) + " is not an id: 1 to 64 of A-Z a-z 0-9 . _ -");
        return;
    }
    const auto [first, is_new] = lines.emplace(*text, field.line());
    if (!is_new) {
        field.fault(shown(*text) + " is taken; it stands in line " + std::to_string(first->second));
        return;
    }
    id = *text;
}

std::string format(const std::filesystem::path& file, const Faults& faults) {
    std::string out;
    for (const Fault& fault : faults) {
        out += file.string();
        if (fault.line > 0) out += ":" + std::to_string(fault.line);
        out += ": ";
        if (!fault.key.empty()) out += fault.key + ": ";
        out += fault.message + "\n";
    }
    return out;
}

Result<SnapshotPtr, Faults> load_text(std::string_view yaml, const std::filesystem::path& file) {
    Faults faults;
    std::error_code no_working_directory;
    Draft draft;
    draft.out.file = std::filesystem::absolute(file, no_working_directory).lexically_normal();
    draft.folder = draft.out.file.parent_path();
    const Node root = parse_document(yaml, faults);
    // What follows a syntax fault was not read, so nothing can be said about it.
    if (root.kind != Node::Kind::null || faults.empty()) read_root(root, draft, faults);
    if (faults.empty()) return SnapshotPtr{std::make_shared<const Snapshot>(std::move(draft.out))};
    std::stable_sort(faults.begin(), faults.end(),
                     [](const Fault& a, const Fault& b) { return a.line < b.line; });
    return faults;
}

Result<SnapshotPtr, Faults> load_file(const std::filesystem::path& file) {
    std::error_code failed;
    if (std::filesystem::is_directory(file, failed)) {
        return Faults{{0, "", "is a folder, not a file"}};
    }
    std::ifstream in{file, std::ios::binary};
    if (!in.is_open()) return Faults{{0, "", "cannot be opened"}};
    std::string text(file_bytes_max + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.bad()) return Faults{{0, "", "cannot be read"}};
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > file_bytes_max) return Faults{{0, "", "is larger than 4 MiB"}};
    return load_text(text, file);
}

}  // namespace sworn::config
