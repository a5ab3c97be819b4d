#include "proxy/pipeline/delivery.h"

namespace sworn::pipeline {

void close_ledger(journal::Journal& journal, journal::Ledger& ledger) {
    auto append = ledger.take(journal::Durability::buffered);
    append.last = true;
    journal.append(std::move(append));
}

Delivery::~Delivery() {
    if (open_) close_ledger(journal_, ledger_);
}

void Delivery::note(journal::EventBody event) {
    open_ = false;
    // Refused where an acknowledgement came first: then there is nothing left to say.
    const auto added = ledger_.add(std::move(event), Source::transport_observed);
    static_cast<void>(added);
    close_ledger(journal_, ledger_);
}

void Delivery::delivered(std::string_view how) noexcept {
    note(journal::ResultDelivered{std::string{how}});
}

void Delivery::failed(std::string_view how) noexcept {
    note(journal::DeliveryFailed{std::string{how}});
}

}  // namespace sworn::pipeline
