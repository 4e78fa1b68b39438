#include "grid_kernels_test.cpp"
