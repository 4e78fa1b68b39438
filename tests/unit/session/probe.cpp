// The child process in which the tests' plugins are probed.
#include "floe/plugin/scan.hpp"

int main(int argc, char** argv)
{
    return argc == 2 ? floe::plugin::probeMain(argv[1]) : 2;
}
