// The configuration that `sworn init` writes.
#pragma once

#include <string>

namespace sworn::config {

/// Commented YAML. It loads as it stands, without any secret set; the example
/// credentials and routes in it are comments ("#- id: …") and load when uncommented.
[[nodiscard]] std::string starter_config();

}  // namespace sworn::config
