// A folder of one test, removed with it, and the verbs to change files in it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace sworn::credentials {

class Scratch {
public:
    Scratch() {
        std::string pattern = (std::filesystem::temp_directory_path() / "sworn-XXXXXX").string();
        const char* made = ::mkdtemp(pattern.data());
        EXPECT_NE(made, nullptr);
        path_ = pattern;
    }
    ~Scratch() {
        std::error_code gone_already;
        std::filesystem::remove_all(path_, gone_already);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
        return path_ / name;
    }
    std::filesystem::path write(std::string_view name, std::string_view bytes) const {
        const auto file = path_ / name;
        std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
        return file;
    }
    /// As a careful writer does it: a new file takes the old one's name.
    std::filesystem::path replace(std::string_view name, std::string_view bytes) const {
        const auto fresh = write(std::string{name} + ".fresh", bytes);
        std::filesystem::rename(fresh, path_ / name);
        return path_ / name;
    }
    [[nodiscard]] std::string read(std::string_view name) const {
        std::ifstream in{path_ / name, std::ios::binary};
        return {std::istreambuf_iterator<char>{in}, {}};
    }

private:
    std::filesystem::path path_;
};

}  // namespace sworn::credentials
