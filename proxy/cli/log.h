// The broker's log: one line per thing that happened, on stderr, as text for people or as JSON
// lines. Values are ids, words of ours, and peer bytes only after escaping; never a secret.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/cli/serve.h"

namespace sworn::cli {

/// Sets the process's logger up; once, before threads start.
void set_up_log(LogFormat format, std::string_view level);

/// An empty value is null in JSON, and left out of a text line.
using LogFields = std::initializer_list<std::pair<std::string_view, std::string>>;

void log_info(std::string_view event, LogFields fields = {});
void log_warn(std::string_view event, LogFields fields = {});
void log_error(std::string_view event, LogFields fields = {});

}  // namespace sworn::cli
