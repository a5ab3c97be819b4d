// The caller's own door (http://sworn.internal/v1/…): the rows of the API that callers have, over
// their own records only.
#pragma once

#include "proxy/control/server.h"

namespace sworn::control {

class CallerDoor final : public pipeline::OwnDoor {
public:
    explicit CallerDoor(Services& services) : services_{services} {}
    [[nodiscard]] pipeline::OwnAnswer answer(const std::string& caller, const std::string& method,
                                             const std::string& target,
                                             const std::string& body) override;

private:
    Services& services_;
};

}  // namespace sworn::control
