// One source, because nvcc gives the kernels of a header one definition in each.
#include "cuda_core_test.cpp"
#include "cuda_custom_test.cpp"
#include "cuda_steps_test.cpp"
