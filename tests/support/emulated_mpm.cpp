// The CUDA backend, compiled for the emulator, in the place of the one that nvcc compiles.

#include "plugins/mpm/cuda/cuda_stepper.cu"
