// After the commit: what the front observes of the hand-over becomes RESULT_DELIVERED or
// DELIVERY_FAILED, buffered. Dropped unresolved, the record says neither (contract section 7).
#pragma once

#include "journal/ledger.h"
#include "proxy/http/caller_side.h"

namespace sworn::pipeline {

class Delivery final : public http::DeliveryWatch {
public:
    Delivery(journal::Journal& journal, journal::Ledger ledger)
        : journal_{journal}, ledger_{std::move(ledger)} {}
    ~Delivery() override;

    void delivered(std::string_view how) noexcept override;
    void failed(std::string_view how) noexcept override;

private:
    void note(journal::EventBody event);

    journal::Journal& journal_;
    journal::Ledger ledger_;
    bool open_ = true;
};

/// Appends what is staged, buffered, as the writer's last word on this record.
void close_ledger(journal::Journal& journal, journal::Ledger& ledger);

}  // namespace sworn::pipeline
