#include "proxy/pipeline/stored_result.h"

namespace sworn::pipeline {

std::optional<WholeResult> load_result(journal::Journal& journal, InvocationId id,
                                       journal::Stream stream, std::uint32_t from_part) {
    const auto stored = journal.result(id);
    if (!stored) return std::nullopt;
    WholeResult whole;
    whole.head = stored->head;
    for (const auto& part : stored->parts) {
        if (part.stream != stream || part.part < from_part) continue;
        auto bytes = journal.read_part(id, part.part, part.stream);
        if (!bytes) return std::nullopt;
        whole.body += *bytes;
    }
    return whole;
}

}  // namespace sworn::pipeline
