#include "app/cli/main.h"

int main(int argc, char** argv) { return kith::cli::Main(argc, argv); }
