// As cuda_gl_interop.h, for the driver API.
#include "cuda.h"
#include "cuda_gl_interop.h"
