#include "proxy/cli/log.h"

#include <boost/json/serialize.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "common/clock.h"
#include "common/json.h"

namespace sworn::cli {

namespace {

LogFormat chosen_format = LogFormat::text;
constexpr std::size_t value_bytes_max = 512;

std::string line(std::string_view level, std::string_view event, LogFields fields) {
    if (chosen_format == LogFormat::json) {
        boost::json::object object{
            {"at", format_rfc3339(SystemClock{}.now())}, {"level", level}, {"event", event}};
        for (const auto& [key, value] : fields) {
            if (value.empty()) {
                object[key] = nullptr;
            } else {
                object[key] = printable(value, value_bytes_max);
            }
        }
        return boost::json::serialize(object);
    }
    std::string text{event};
    for (const auto& [key, value] : fields) {
        if (value.empty()) continue;
        text.append("  ").append(key).append("=").append(printable(value, value_bytes_max));
    }
    return text;
}

}  // namespace

void set_up_log(LogFormat format, std::string_view level) {
    chosen_format = format;
    auto logger = spdlog::stderr_logger_mt("sworn");
    logger->set_level(spdlog::level::from_str(std::string{level}));
    logger->set_pattern(format == LogFormat::json ? "%v" : "%Y-%m-%d %H:%M:%S.%e %l %v");
    spdlog::set_default_logger(std::move(logger));
}

void log_info(std::string_view event, LogFields fields) {
    if (spdlog::should_log(spdlog::level::info)) spdlog::info("{}", line("info", event, fields));
}
void log_warn(std::string_view event, LogFields fields) {
    if (spdlog::should_log(spdlog::level::warn)) spdlog::warn("{}", line("warn", event, fields));
}
void log_error(std::string_view event, LogFields fields) {
    spdlog::error("{}", line("error", event, fields));
}

}  // namespace sworn::cli
