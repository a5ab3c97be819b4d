// The coroutine type of every connection, on the concrete executor of its I/O thread.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace sworn::io {

namespace asio = boost::asio;

using Executor = asio::io_context::executor_type;
template <class T>
using Task = asio::awaitable<T, Executor>;

/// co_await op(no_throw) yields a tuple that starts with the error_code.
inline constexpr auto no_throw = asio::as_tuple(asio::use_awaitable_t<Executor>{});

}  // namespace sworn::io
