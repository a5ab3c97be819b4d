# What each room may use, named once; anything else stops the configure step. The order is the
# direction of data: common <- journal, metrics <- proxy/*; only the pipeline knows everybody.
set(SWORN_MAY_USE_common "")
set(SWORN_MAY_USE_journal common)
set(SWORN_MAY_USE_metrics common)
set(SWORN_MAY_USE_config common)
set(SWORN_MAY_USE_contract common journal config)
set(SWORN_MAY_USE_credentials common journal config contract io)
set(SWORN_MAY_USE_io common)
set(SWORN_MAY_USE_connect common config io)
set(SWORN_MAY_USE_http common journal config contract credentials io connect)
set(SWORN_MAY_USE_pipeline common journal metrics config contract credentials io connect http)
set(SWORN_MAY_USE_control
    common journal metrics config contract credentials io http pipeline)
set(SWORN_MAY_USE_cli
    common journal metrics config contract credentials io connect http pipeline control)

# sworn_library(ROOM SOURCES a.cc … [USES common …] [LIBS third::party …])
# The room is the folder's name; its alias is sworn::ROOM.
function(sworn_library room)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES;LIBS")
    foreach(used IN LISTS arg_USES)
        if(NOT used IN_LIST SWORN_MAY_USE_${room})
            message(FATAL_ERROR "${room}/ may not use ${used}/ (docs/architecture.md)")
        endif()
    endforeach()
    add_library(sworn_${room} STATIC ${arg_SOURCES})
    add_library(sworn::${room} ALIAS sworn_${room})
    target_include_directories(sworn_${room} PUBLIC ${PROJECT_SOURCE_DIR})
    list(TRANSFORM arg_USES PREPEND sworn::)
    target_link_libraries(sworn_${room}
        PUBLIC sworn::build_flags Boost::headers ${arg_USES} PRIVATE ${arg_LIBS})
endfunction()

# Test code is compiled once and run briefly: what counts is how fast it compiles.
set(SWORN_TEST_OPTIONS -O0 -U_FORTIFY_SOURCE)

# Test code that needs Asio shares one parsed copy of it; call for tests and their support alike.
function(sworn_test_on_asio)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE ${SWORN_TEST_OPTIONS})
        target_link_libraries(${target} PRIVATE GTest::gtest)
        target_precompile_headers(${target} REUSE_FROM sworn_test_pch)
    endforeach()
endfunction()

# sworn_test(NAME SOURCES a_test.cc … [USES rooms …] [LIBS third::party …] [LABELS quick …])
function(sworn_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES;LIBS;LABELS")
    add_executable(${name} ${arg_SOURCES})
    list(TRANSFORM arg_USES PREPEND sworn::)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${name} PRIVATE SWORN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} PRIVATE sworn::build_flags ${arg_USES} ${arg_LIBS} GTest::gtest_main)
    target_compile_options(${name} PRIVATE ${SWORN_TEST_OPTIONS})
    add_test(NAME ${name} COMMAND ${name})
    if(NOT arg_LABELS)
        set(arg_LABELS quick)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300)
endfunction()
