// The kernels for x86-64 with AVX-512, called only where the processor has it. Most still take four
// numbers at a time, with twice as many registers and shorter choices between numbers; the gains of
// cuts take eight. No fused multiply-add: it would change the last bit.
#define RIPARIAN_ISA avx512
#define RIPARIAN_ISA_NAME "avx512"
#include "kernels.ipp"
