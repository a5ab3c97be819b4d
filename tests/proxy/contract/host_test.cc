#include "proxy/contract/host.h"

#include <gtest/gtest.h>

namespace sworn::contract {
namespace {

TEST(Host, LabelAndNameLimitsHoldAtNAndNPlusOne) {
    EXPECT_TRUE(normal_host(std::string(label_bytes_max, 'a') + ".test"));
    EXPECT_FALSE(normal_host(std::string(label_bytes_max + 1, 'a') + ".test"));

    std::string name;
    while (name.size() + 64 <= host_bytes_max)
        name += std::string(63, 'a') + ".";
    name += std::string(host_bytes_max - name.size(), 'b');
    ASSERT_EQ(name.size(), host_bytes_max);
    EXPECT_TRUE(normal_host(name));
    EXPECT_TRUE(normal_host(name + "."));
    EXPECT_FALSE(normal_host("c" + name));
}

TEST(Host, PortsAreDecimalWithoutSignOrPadding) {
    struct Case {
        const char* text;
        int port;  ///< 0: refused
    };
    for (const Case& one : {Case{"1", 1},
                            {"80", 80},
                            {"65535", 65535},
                            {"65536", 0},
                            {"0", 0},
                            {"00", 0},
                            {"01", 0},
                            {"", 0},
                            {"-1", 0},
                            {"+1", 0},
                            {" 1", 0},
                            {"1 ", 0},
                            {"0x1", 0},
                            {"1e1", 0},
                            {"100000", 0},
                            {"99999999999999999999", 0}}) {
        EXPECT_EQ(parse_port(one.text).value_or(0), one.port) << one.text;
    }
}

TEST(Host, EveryOtherByteInANameIsRefused) {
    const std::string allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        const auto host = normal_host(std::string{"ab"} + c + "cd.test");
        EXPECT_EQ(host.has_value(), allowed.find(c) != std::string::npos) << byte;
    }
}

TEST(Host, AddressesKeepOneSpelling) {
    for (const auto* text : {"[2001:db8:0:0:0:0:0:1]", "[2001:DB8::1]", "[2001:0db8::0001]"}) {
        const auto host = normal_host(text);
        ASSERT_TRUE(host) << text;
        EXPECT_EQ(host->text, "2001:db8::1");
        EXPECT_TRUE(host->is_address);
    }
}

TEST(Host, NumberFormsOfAnAddressAreNoNames) {
    for (const auto* text :
         {"1", "0", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001",
          "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.04", "1.2.3.0x4", "a.1", "a.0x1f", "0x"}) {
        EXPECT_FALSE(normal_host(text)) << text;
    }
    for (const auto* text : {"1a", "a1", "1.a", "0xg", "1.2.3.4.a", "0x7f.test"}) {
        const auto host = normal_host(text);
        ASSERT_TRUE(host) << text;
        EXPECT_FALSE(host->is_address) << text;
    }
}

}  // namespace
}  // namespace sworn::contract
