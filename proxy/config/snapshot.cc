#include "proxy/config/snapshot.h"

#include <algorithm>

namespace sworn::config {
namespace {

template <class T>
const T* find_id(const std::vector<T>& values, std::string_view id) noexcept {
    const auto found =
        std::find_if(values.begin(), values.end(), [id](const T& value) { return value.id == id; });
    return found == values.end() ? nullptr : &*found;
}

}  // namespace

const Credential* Snapshot::credential(std::string_view id) const noexcept {
    return find_id(credentials, id);
}

const Route* Snapshot::route(std::string_view id) const noexcept {
    return find_id(routes, id);
}

const SshRoute* Snapshot::ssh_route(std::string_view id) const noexcept {
    return find_id(ssh_routes, id);
}

}  // namespace sworn::config
