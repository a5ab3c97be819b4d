#include "proxy/pipeline/result_sink.h"

#include <utility>

namespace sworn::pipeline {

ResultSink::ResultSink(io::WorkerPool& workers, std::filesystem::path results_directory,
                       InvocationId id, std::uint32_t generation, std::uint64_t result_bytes_max,
                       const std::vector<Secret>& needles)
    : workers_{workers},
      directory_{std::move(results_directory)},
      id_{id},
      generation_{generation},
      result_bytes_max_{result_bytes_max},
      masker_{needles} {}

std::string ResultSink::take(std::string_view received) {
    received_.update(received);
    std::string bytes = unscanned_.empty() ? masker_.feed(received) : std::string{received};
    if (streams_) stored_.update(bytes);
    bytes_ += bytes.size();
    return bytes;
}

std::string ResultSink::take_rest() {
    std::string rest = masker_.finish();
    if (streams_) stored_.update(rest);
    bytes_ += rest.size();
    return rest;
}

void ResultSink::hold(std::string_view bytes) {
    held_.append(bytes);
}

std::string ResultSink::file_name() const {
    return file_ ? journal::part_file_name(id_, generation_) : std::string{};
}

/// What is held and unmasked is what came; only where the two differ is there a second digest.
Digest ResultSink::stored_digest() const {
    if (streams_) return stored_.digest();
    return masker_.count() == 0 ? received_.digest() : sha256(held_);
}

io::Task<void> ResultSink::start_file() {
    streams_ = true;
    stored_.update(held_);
    if (!keeping_) {
        held_.clear();
        co_return;
    }
    auto create = [&] { return journal::PartFile::create(directory_, id_, generation_); };
    auto created = co_await workers_.run(create);
    if (!created) {
        failed_ = true;
        co_return;
    }
    file_.emplace(std::move(*created));
    std::string first = std::exchange(held_, {});
    co_await store(std::move(first));
}

io::Task<void> ResultSink::store(std::string bytes) {
    if (!keeping_ || failed_ || bytes.empty()) co_return;
    if (file_->bytes() + bytes.size() > result_bytes_max_) {
        auto drop = [&] {
            file_->remove();
            return Done{};
        };
        co_await workers_.run(drop);
        file_.reset();
        filled_.clear();
        keeping_ = false;
        co_return;
    }
    auto write_all = [&] { return write(bytes); };
    const auto written = co_await workers_.run(write_all);
    if (!written) failed_ = true;
}

/// Cut at part borders, so that each part's digest is the file's at its end.
Status ResultSink::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto room = journal::part_bytes - file_->bytes() % journal::part_bytes;
        const auto piece = bytes.substr(0, static_cast<std::size_t>(room));
        if (auto written = file_->write(piece); !written) return written;
        bytes.remove_prefix(piece.size());
        if (piece.size() == room) end_part();
    }
    return Done{};
}

void ResultSink::end_part() {
    journal::ResultPart part;
    part.part = static_cast<std::uint32_t>(filled_bytes_ / journal::part_bytes);
    part.offset = filled_bytes_;
    part.size = file_->bytes() - filled_bytes_;
    part.digest = file_->digest();
    filled_bytes_ = file_->bytes();
    filled_.push_back(std::move(part));
}

io::Task<bool> ResultSink::seal() {
    if (failed_) co_return false;
    if (!file_) co_return true;
    auto sync = [&] { return file_->sync(); };
    auto synced = co_await workers_.run(sync);
    if (!synced) {
        failed_ = true;
        co_return false;
    }
    synced_.emplace(std::move(*synced));
    file_->keep();
    if (file_->bytes() > filled_bytes_) end_part();
    co_return true;
}

void ResultSink::note_parts(journal::Ledger& ledger) {
    for (auto& part : filled_) {
        ledger.note(std::move(part), Source::remote_response);
    }
    filled_.clear();
}

}  // namespace sworn::pipeline
