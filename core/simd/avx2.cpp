// The kernels for x86-64 with AVX2; compiled with -mavx2, called only where the
// processor has it. No fused multiply-add: it would change the last bit.
#define RIPARIAN_ISA avx2
#define RIPARIAN_ISA_NAME "avx2"
#include "kernels.ipp"
