// The wiring: every object of a running broker is built here and handed on by reference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/result.h"
#include "proxy/config/snapshot.h"

namespace sworn::cli {

class Broker {
public:
    struct StartError {
        std::string what;
    };
    /// Opens the journal (recovery included) and then the listeners; serves from here on.
    [[nodiscard]] static Result<std::unique_ptr<Broker>, StartError> start(
        config::SnapshotPtr snapshot);
    ~Broker();

    /// A bad configuration is refused and the old one stays; returns what was wrong. Listeners and
    /// data_dir stay as they are until a restart.
    [[nodiscard]] Result<Done, StartError> reload(config::SnapshotPtr snapshot);

    /// No new actions; waits for those under way up to timeouts.drain, then breaks them off as
    /// BROKER_INTERRUPTED. Closes every listener. Blocking.
    void drain();

    /// Once a second: gauges; once a minute: retention.
    void tick();

    struct Impl;

private:
    explicit Broker(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace sworn::cli
