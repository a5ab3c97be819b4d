foreach(unit event codec transitions record replay projection settled random_lives guard walk
        walk_repeats ledger)
    sworn_test(journal_${unit}_test SOURCES ${unit}_test.cc USES common journal)
endforeach()
