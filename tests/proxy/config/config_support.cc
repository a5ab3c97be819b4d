#include "tests/proxy/config/config_support.h"

#include <gtest/gtest.h>

namespace sworn::config {

Result<SnapshotPtr, Faults> load(std::string_view yaml) {
    return load_text(yaml, "/etc/sworn/sworn.yaml");
}

SnapshotPtr loaded(std::string_view yaml) {
    auto result = load(yaml);
    if (result) return *result;
    ADD_FAILURE() << format("sworn.yaml", result.error());
    return std::make_shared<const Snapshot>();
}

std::ostream& operator<<(std::ostream& out, const FaultCase& value) {
    return out << value.name;
}

void expect_fault(const FaultCase& want) {
    const auto result = load(std::string{want.head} + std::string{want.snippet});
    ASSERT_FALSE(result) << "loads, and should not";
    const Faults& faults = result.error();
    const std::string all = format("sworn.yaml", faults);
    ASSERT_EQ(faults.size(), 1u) << all;
    EXPECT_EQ(faults[0].line, want.line) << all;
    EXPECT_EQ(faults[0].key, want.key) << all;
    EXPECT_NE(faults[0].message.find(want.message), std::string::npos) << all;
}

}  // namespace sworn::config
