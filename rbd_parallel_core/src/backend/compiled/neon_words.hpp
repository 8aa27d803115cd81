// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The instructions of 64-bit ARM that straight-line code needs, as words of 32 bits whose fields
/// of registers and offsets are zero: Arm Architecture Reference Manual for A-profile (DDI 0487),
/// chapters C6.2 and C7.2.
namespace rbd_parallel_core::compiled::neon {

using Word = std::uint32_t;

/// An instruction in its four forms: packed double (.2d) and float (.4s), one double and one float.
struct Forms {
  Word packed_double, packed_float, one_double, one_float;
  constexpr Word pick(bool packed, bool is_float) const {
    if (packed) return is_float ? packed_float : packed_double;
    return is_float ? one_float : one_double;
  }
};

// d = n op m
inline constexpr Forms fadd{0x4e60d400, 0x4e20d400, 0x1e602800, 0x1e202800};
inline constexpr Forms fsub{0x4ee0d400, 0x4ea0d400, 0x1e603800, 0x1e203800};
inline constexpr Forms fmul{0x6e60dc00, 0x6e20dc00, 0x1e600800, 0x1e200800};
inline constexpr Forms fdiv{0x6e60fc00, 0x6e20fc00, 0x1e601800, 0x1e201800};
inline constexpr Forms fmax{0x4e60f400, 0x4e20f400, 0x1e604800, 0x1e204800};
// d = all bits set where n > m, n >= m
inline constexpr Forms fcmgt{0x6ee0e400, 0x6ea0e400, 0x7ee0e400, 0x7ea0e400};
inline constexpr Forms fcmge{0x6e60e400, 0x6e20e400, 0x7e60e400, 0x7e20e400};
// d = op n
inline constexpr Forms fabs{0x4ee0f800, 0x4ea0f800, 0x1e60c000, 0x1e20c000};
inline constexpr Forms fneg{0x6ee0f800, 0x6ea0f800, 0x1e614000, 0x1e214000};
inline constexpr Forms fsqrt{0x6ee1f800, 0x6ea1f800, 0x1e61c000, 0x1e21c000};

/// Fused multiply-adds of packs add to what d holds. Those of one number have four registers.
struct Pair {
  Word of_double, of_float;
  constexpr Word pick(bool is_float) const { return is_float ? of_float : of_double; }
};
inline constexpr Pair fmla{0x4e60cc00, 0x4e20cc00};    // d + n m
inline constexpr Pair fmls{0x4ee0cc00, 0x4ea0cc00};    // d - n m
inline constexpr Pair fmadd{0x1f400000, 0x1f000000};   // d = a + n m
inline constexpr Pair fmsub{0x1f408000, 0x1f008000};   // d = a - n m
inline constexpr Pair fnmadd{0x1f600000, 0x1f200000};  // d = -a - n m
inline constexpr Pair fnmsub{0x1f608000, 0x1f208000};  // d = n m - a

// All bits of a register.
inline constexpr Word mov = 0x4ea01c00;  ///< orr of n and m, which are the same
inline constexpr Word bsl = 0x6e601c00;  ///< d = n where d is set, else m
inline constexpr Word bit = 0x6ea01c00;  ///< d = n where m is set
inline constexpr Word bif = 0x6ee01c00;  ///< d = n where m is not set

// Memory at a register and an offset of 12 bits, in units of what is moved.
inline constexpr Forms ldr{0x3dc00000, 0x3dc00000, 0xfd400000, 0xbd400000};
inline constexpr Forms str{0x3d800000, 0x3d800000, 0xfd000000, 0xbd000000};

inline constexpr Word add_4096 = 0x91400000;  ///< add x(d), x(n), 4096 times a number of 12 bits
inline constexpr Word ret = 0xd65f03c0;       ///< to the address in x30

/// Numbers of registers in their fields.
constexpr Word registers(Word word, Word d, Word n, Word m = 0, Word a = 0) {
  return word | d | n << 5 | m << 16 | a << 10;
}
/// A number of 12 bits in its field.
constexpr Word number(Word word, Word twelve_bits) { return word | twelve_bits << 10; }

}  // namespace rbd_parallel_core::compiled::neon
