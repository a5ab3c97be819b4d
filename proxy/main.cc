#include "proxy/cli/arguments.h"

int main(int argc, char** argv) {
    return sworn::cli::run(argc, argv);
}
