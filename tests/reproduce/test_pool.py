"""Worker processes: what they are told before a library is loaded."""

from acvae.reproduce.pool import fast_kernels

AVX512 = "fpu sse2 avx2 avx512f avx512dq avx512cd avx512bw avx512vl"


def cpu(vendor: str, flags: str) -> str:
    return f"processor\t: 0\nvendor_id\t: {vendor}\nflags\t\t: {flags}\n\nprocessor\t: 1\n"


def test_kernels_are_chosen_only_where_openblas_misses_them():
    assert fast_kernels(cpu("AuthenticAMD", AVX512)) == {"OPENBLAS_CORETYPE": "SkylakeX"}
    assert fast_kernels(cpu("GenuineIntel", AVX512)) == {}
    assert fast_kernels(cpu("AuthenticAMD", AVX512.replace("avx512vl", ""))) == {}
    assert fast_kernels("") == {}
