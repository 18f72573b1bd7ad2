// The kernels for x86-64 with AVX-512, called only if the processor has it. Most process four
// numbers at a time, with twice as many registers and shorter selects; the gains of cuts process
// eight. There is no fused multiply-add, because it would change the last bit.
#define RIPARIAN_ISA avx512
#define RIPARIAN_ISA_NAME "avx512"
#include "kernels.ipp"
