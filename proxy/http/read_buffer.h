// Bytes that were read and not yet used. Keeps its storage; grows on demand up to what its user
// asks for.
#pragma once

#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "common/assert.h"

namespace sworn::http {

class ReadBuffer {
public:
    static constexpr std::size_t step_bytes = 16 * 1024;

    ReadBuffer() = default;
    /// Takes over storage that was released before; its content is dropped.
    explicit ReadBuffer(std::string storage) noexcept : storage_{std::move(storage)} {}

    [[nodiscard]] std::string_view view() const noexcept {
        return std::string_view{storage_}.substr(begin_, end_ - begin_);
    }
    [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

    void consume(std::size_t count) noexcept {
        SWORN_ASSERT(count <= size());
        begin_ += count;
        if (begin_ == end_) begin_ = end_ = 0;
    }
    void clear() noexcept { begin_ = end_ = 0; }

    /// Room for at least one byte and usually `step_bytes`. Invalidates views.
    [[nodiscard]] boost::asio::mutable_buffer prepare() {
        constexpr std::size_t worth_reading = step_bytes / 4;
        if (storage_.size() - end_ < worth_reading && begin_ > 0) {
            std::memmove(storage_.data(), storage_.data() + begin_, size());
            end_ -= begin_;
            begin_ = 0;
        }
        if (storage_.size() - end_ < worth_reading) storage_.resize(end_ + step_bytes);
        return {storage_.data() + end_, storage_.size() - end_};
    }
    void commit(std::size_t count) noexcept {
        SWORN_ASSERT(count <= storage_.size() - end_);
        end_ += count;
    }

    /// The storage, emptied, for the next user.
    [[nodiscard]] std::string release() noexcept {
        clear();
        auto storage = std::move(storage_);
        storage.clear();
        return storage;
    }

private:
    std::string storage_;
    std::size_t begin_ = 0, end_ = 0;
};

}  // namespace sworn::http
