// The kernels for x86-64 with AVX2. They are compiled with -mavx2 and called only if the processor
// has it. There is no fused multiply-add, because it would change the last bit.
#define RIPARIAN_ISA avx2
#define RIPARIAN_ISA_NAME "avx2"
#include "kernels.ipp"
