//go:build !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x || wasm)

package explore

// The stores number states and address their memory with 64 bits, so there is no version of this
// package for a platform of 32. The name below says so in the compiler's error.
const _ = vsrcheck_needs_a_64_bit_platform
