# Shared by tests/run and .ci/run: steps with their times, and one sum of passed and failed tests.
# shellcheck shell=bash

passed=0
failed=0
failed_checks=()
began_all=$SECONDS
export CTEST_OUTPUT_ON_FAILURE=1

headline() { printf '\n== %s (at %d s)\n' "$1" "$((SECONDS - began_all))"; }

# step NAME COMMAND…: what everything after it needs; a failure ends the run.
step() {
    local name=$1 began=$SECONDS
    shift
    headline "$name"
    if ! "$@" < /dev/null; then
        failed=$((failed + 1))
        failed_checks+=("$name")
        printf '== %s: FAILED after %d s; the rest cannot run\n' "$name" "$((SECONDS - began))"
        finish
    fi
    printf '== %s: done in %d s\n' "$name" "$((SECONDS - began))"
}

# check NAME COMMAND…: a part of the sum. Its last line may be "N passed, N failed"; else it counts
# as one test.
check() {
    local name=$1 began=$SECONDS log status=0 last
    shift
    headline "$name"
    log="$(mktemp)"
    "$@" < /dev/null 2>&1 | tee "$log" || status=$?
    last="$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1 || true)"
    rm -f "$log"
    if [ -n "$last" ]; then
        local one_passed one_failed
        read -r one_passed _ one_failed _ <<< "$last"
        passed=$((passed + one_passed))
        failed=$((failed + one_failed))
        # A runner that fails without naming a failed test failed itself.
        if [ "$status" != 0 ] && [ "$one_failed" = 0 ]; then failed=$((failed + 1)); fi
    elif [ "$status" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
    if [ "$status" = 0 ]; then
        printf '== %s: passed in %d s\n' "$name" "$((SECONDS - began))"
    else
        failed_checks+=("$name")
        printf '== %s: FAILED in %d s\n' "$name" "$((SECONDS - began))"
    fi
}

# run_ctest FOLDER OPTION…: ctest with its own sum in our words.
run_ctest() {
    local folder=$1 log status=0 sum
    shift
    log="$(mktemp)"
    ctest --test-dir "$folder" --parallel 2 --timeout 300 --no-tests=error "$@" 2>&1 | tee "$log" ||
        status=$?
    # "97% tests passed, 2 tests failed out of 61"
    sum="$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$log")"
    rm -f "$log"
    if [ -n "$sum" ]; then
        local bad all
        read -r bad all <<< "$sum"
        printf '%d passed, %d failed\n' "$((all - bad))" "$bad"
    fi
    return "$status"
}

# The last line of the run, and its exit code.
finish() {
    printf '\nall of it took %d s\n' "$((SECONDS - began_all))"
    if [ "${#failed_checks[@]}" != 0 ]; then printf 'failed: %s\n' "${failed_checks[@]}"; fi
    printf '%d passed, %d failed\n' "$passed" "$failed"
    if [ "$failed" = 0 ] && [ "$passed" != 0 ]; then exit 0; fi
    exit 1
}
