#include "proxy/http/delivery.h"

#include <utility>

namespace sworn::http {

void Delivery::about_to_end(CallerSaid said) noexcept {
    said_ = said;
    if (said != CallerSaid::nothing) return;
    // Whatever comes from now on comes after the earlier answers, too.
    for (auto& one : waiting_)
        one.next_confirms = true;
}

void Delivery::add(DeliveryWatchPtr watch, std::size_t after_body) {
    if (!watch) return;
    if (waiting_.size() == waiting_max) waiting_.erase(waiting_.begin());
    Waiting one;
    one.watch = std::move(watch);
    SWORN_ASSERT(after_body <= sent_);
    one.end = sent_ - after_body;
    one.next_confirms = said_ == CallerSaid::nothing;
    one.close_confirms = said_ != CallerSaid::end;
    waiting_.push_back(std::move(one));
}

template <class P>
void Delivery::confirm(P&& applies, std::string_view how) noexcept {
    std::vector<Waiting> left;
    for (auto& one : waiting_) {
        if (applies(one)) {
            one.watch->delivered(how);
        } else {
            left.push_back(std::move(one));
        }
    }
    waiting_ = std::move(left);
}

void Delivery::next_request(int unacknowledged) noexcept {
    if (unacknowledged != 0 || waiting_.empty()) return;
    confirm([](const Waiting& one) { return one.next_confirms; }, "next_request");
}

void Delivery::closed(int unacknowledged, int own_end) noexcept {
    if (unacknowledged < 0 || unacknowledged > own_end || waiting_.empty()) return;
    confirm([](const Waiting& one) { return one.close_confirms; }, "closed");
}

void Delivery::over(int unacknowledged, int own_end) noexcept {
    const auto lost = unacknowledged > own_end ? static_cast<std::uint64_t>(unacknowledged) : 0;
    for (auto& one : waiting_) {
        // Over TLS the count is of records, which are longer than what they carry: a little more
        // than was lost counts as lost, never less.
        if (lost > 0 && one.end + lost > sent_) one.watch->failed("unacknowledged");
    }
    waiting_.clear();
}

}  // namespace sworn::http
