// The kernels for every machine: SSE2 on x86-64, NEON on arm64.
#define RIPARIAN_ISA baseline
#define RIPARIAN_ISA_NAME "baseline"
#include "kernels.ipp"
