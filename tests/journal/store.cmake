# The storing half: everything that runs on a store, the fake one or RocksDB.
add_library(journal_fake_store STATIC ${PROJECT_SOURCE_DIR}/tests/support/fake_store.cc)
target_link_libraries(journal_fake_store PUBLIC sworn::journal)
foreach(unit columns group_commit journal part_file recovery retention store verify)
    sworn_test(journal_${unit}_test
        SOURCES ${CMAKE_CURRENT_LIST_DIR}/${unit}_test.cc
        USES common journal
        LIBS journal_fake_store)
endforeach()
