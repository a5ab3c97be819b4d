// Where the whole program finds today's configuration: swapped as one by a reload.
#pragma once

#include <atomic>
#include <memory>

#include "proxy/http/front.h"
#include "proxy/pipeline/services.h"

namespace sworn::cli {

class RuntimeHolder final : public pipeline::RuntimeSource, public http::FrontSettingsSource {
public:
    RuntimeHolder(pipeline::RuntimePtr runtime, const pipeline::Gate& gate) : gate_{gate} {
        swap(std::move(runtime));
    }

    void swap(pipeline::RuntimePtr runtime) {
        const auto& snapshot = *runtime->snapshot();
        auto settings = std::make_shared<http::FrontSettings>();
        settings->timeouts = snapshot.timeouts;
        settings->limits = snapshot.limits;
        settings->spool_directory = snapshot.data_dir / "spool";
        settings_.store(std::move(settings));
        runtime_.store(std::move(runtime));
    }

    [[nodiscard]] pipeline::RuntimePtr current() const override { return runtime_.load(); }
    [[nodiscard]] std::shared_ptr<const http::FrontSettings> settings() const override {
        return settings_.load();
    }
    [[nodiscard]] bool draining() const noexcept override { return gate_.draining; }

private:
    const pipeline::Gate& gate_;
    std::atomic<pipeline::RuntimePtr> runtime_;
    std::atomic<std::shared_ptr<const http::FrontSettings>> settings_;
};

}  // namespace sworn::cli
