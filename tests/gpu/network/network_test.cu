#include "cuda_network_test.cpp"
