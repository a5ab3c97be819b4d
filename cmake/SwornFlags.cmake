# One interface target carries every flag of our own code.
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    # Paths are rewritten relative to the checkout, so that two checkouts share one cache.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${CCACHE_PROGRAM})
endif()

add_library(sworn_build_flags INTERFACE)
add_library(sworn::build_flags ALIAS sworn_build_flags)
target_compile_options(sworn_build_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wswitch -Werror
    -fno-omit-frame-pointer -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
target_compile_definitions(sworn_build_flags INTERFACE
    BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
    BOOST_ASIO_DISABLE_BOOST_COROUTINE $<$<CONFIG:Release>:_GLIBCXX_ASSERTIONS>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False alarm in Asio's frame allocator.
    target_compile_options(sworn_build_flags INTERFACE -Wno-mismatched-new-delete)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT SWORN_SANITIZE)
    target_compile_options(sworn_build_flags INTERFACE
        -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE)
    target_link_options(sworn_build_flags INTERFACE -pie -Wl,-z,relro,-z,now)
endif()
find_program(LLD_PROGRAM ld.lld)
if(LLD_PROGRAM)
    target_link_options(sworn_build_flags INTERFACE -fuse-ld=lld)
endif()
if(SWORN_SANITIZE)
    target_compile_options(sworn_build_flags INTERFACE -fsanitize=${SWORN_SANITIZE})
    target_link_options(sworn_build_flags INTERFACE -fsanitize=${SWORN_SANITIZE})
    if(SWORN_SANITIZE MATCHES "undefined")
        target_compile_options(sworn_build_flags INTERFACE -fno-sanitize-recover=undefined)
        if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
            # clang 14 cannot instrument calls through coroutine frames.
            target_compile_options(sworn_build_flags INTERFACE -fno-sanitize=function)
        endif()
    endif()
    if(SWORN_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(sworn_build_flags INTERFACE -Wno-tsan)
    endif()
endif()
