#include "proxy/credentials/sealed_request.h"

namespace sworn::credentials {

Digest SealedRequest::request_digest() const {
    contract::RequestPlan plan = plan_tail_;
    const std::string_view head = head_.bytes();
    for (const Slot& slot : slots_) {
        switch (slot.kind) {
            case contract::Segment::Kind::text:
                plan.head.push_back({slot.kind, std::string{head.substr(slot.offset, slot.size)}});
                break;
            case contract::Segment::Kind::secret:
                plan.head.push_back({slot.kind, slot.mark});
                break;
        }
    }
    return plan.request_digest();
}

std::string_view SealedRequest::release(const journal::DispatchTicket& ticket) const {
    SWORN_ASSERT(ticket.live());
    SWORN_ASSERT(ticket.id() == id_);
    SWORN_ASSERT(ticket.request_digest() == request_digest());
    return head_.bytes();
}

}  // namespace sworn::credentials
