// The effect of one event on a record, once it is known to be legal. Only apply() and replay() call
// this; everybody else goes through apply().
#pragma once

#include "journal/record.h"

namespace sworn::journal {

/// `target` is the generation of `record` that the event is about, `step` where the table leads.
/// With RETRY_LEASED `step` is that of the new generation.
void absorb(Record& record, const Event& event, Generation& target, Step step);

}  // namespace sworn::journal
