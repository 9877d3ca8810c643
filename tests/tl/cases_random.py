"""Random numbers: Triton's own bits."""

import numpy as np
import triton.language as tl

from tests.tl.case import N, case, output, put

SEED = 11
MASK = np.uint64(2**32 - 1)


def philox(seed: int, *counters) -> list[np.ndarray]:
    """Philox 4x32-10 (Salmon et al. 2011): four words of 32 bits for each counter."""
    c = [np.broadcast_to(np.asarray(k, np.uint64), N) for k in counters]
    k0, k1 = np.uint64(seed), np.uint64(0)
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> np.uint64(32)) ^ c[1] ^ k0, b & MASK, (a >> np.uint64(32)) ^ c[3] ^ k1, a & MASK]
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & MASK, (k1 + np.uint64(0xBB67AE85)) & MASK
    return [word.astype(np.uint32) for word in c]


def uniform(word: np.ndarray) -> np.ndarray:
    """31 bits of a word as a float in [0, 1)."""
    word = word.view("i4")
    return np.where(word < 0, -word - 1, word).astype("f4") * np.float32(4.6566127342e-10)


WORDS = philox(SEED, np.arange(N), 0, 0, 0)


@case(
    out=output(14, N, dtype="u4"),
    seed=SEED,
    N=N,
    expected=lambda: [
        *WORDS,
        WORDS[0],
        *philox(SEED, np.arange(N), 1, 2, 3),
        *philox(SEED, np.arange(N), 1, 2, 3),
        WORDS[0],
    ],
)
def random_integers(out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, i)
    put(out, 0, a)
    put(out, 1, b)
    put(out, 2, c)
    put(out, 3, d)
    put(out, 4, tl.randint(seed, i))
    zero = i * 0
    a, b, c, d = tl.philox(seed, i, zero + 1, zero + 2, zero + 3)
    put(out, 5, a)
    put(out, 6, b)
    put(out, 7, c)
    put(out, 8, d)
    k = i.to(tl.uint32)
    z = k * 0
    a, b, c, d = tl.philox_impl(k, z + 1, z + 2, z + 3, (z + seed).to(tl.uint32), z)
    put(out, 9, a)
    put(out, 10, b)
    put(out, 11, c)
    put(out, 12, d)
    put(out, 13, tl.randint(seed, i, n_rounds=10))


def normals(a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    """Box and Muller (1958)."""
    radius = np.sqrt(-2 * np.log(np.maximum(1e-7, a.astype("f8"))))
    return [radius * np.cos(2 * np.pi * b.astype("f8")), radius * np.sin(2 * np.pi * b.astype("f8"))]


UNIFORM = [uniform(word) for word in WORDS]
NORMAL = [*normals(*UNIFORM[:2]), *normals(*UNIFORM[2:])]


@case(
    out=output(12, N),
    seed=SEED,
    N=N,
    rtol=1e-5,
    gpu_rtol=1e-5,
    expected=lambda: [UNIFORM[0], *UNIFORM, UNIFORM[0], NORMAL[0], *NORMAL, NORMAL[0]],
)
def random_floats(out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    put(out, 0, tl.rand(seed, i))
    a, b, c, d = tl.rand4x(seed, i)
    put(out, 1, a)
    put(out, 2, b)
    put(out, 3, c)
    put(out, 4, d)
    put(out, 5, tl.uint_to_uniform_float(tl.randint(seed, i)))
    put(out, 6, tl.randn(seed, i))
    e, f, g, h = tl.randn4x(seed, i)
    put(out, 7, e)
    put(out, 8, f)
    put(out, 9, g)
    put(out, 10, h)
    n, _ = tl.pair_uniform_to_normal(a, b)
    put(out, 11, n)
