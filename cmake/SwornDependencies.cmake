# Third-party libraries, all Debian 12 packages. Each is named by one folder and linked PRIVATE.
find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json url)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(prometheus-cpp REQUIRED COMPONENTS core)
find_package(RocksDB REQUIRED)
find_library(CARES_LIBRARY cares REQUIRED)
add_library(sworn_cares INTERFACE)
target_link_libraries(sworn_cares INTERFACE ${CARES_LIBRARY})
add_library(sworn::cares ALIAS sworn_cares)

# Asio and Beast are compiled once, here.
add_library(sworn_asio STATIC ${PROJECT_SOURCE_DIR}/cmake/asio.cc)
target_link_libraries(sworn_asio PUBLIC
    sworn::build_flags Boost::headers OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
add_library(sworn::asio ALIAS sworn_asio)
