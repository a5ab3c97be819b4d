// What each I/O thread owns: its io_context, its deadline wheel. A connection lives and dies on
// one of these, so nothing on its path takes a lock.
#pragma once

#include <boost/asio/io_context.hpp>

#include "proxy/io/deadline.h"

namespace sworn::io {

struct ThreadContext {
    asio::io_context context{1};
    DeadlineWheel wheel{context};
    std::size_t index = 0;
};

}  // namespace sworn::io
