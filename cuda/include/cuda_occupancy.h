#include "cuda_runtime_api.h" // the calculator that works without a device is not there: cudaOccMaxActiveBlocksPerMultiprocessor and its like
