// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rbd_parallel_core {

/// How the processor computes with floating point numbers in one thread: how it rounds, and whether
/// denormal numbers count as zero. What is transmitted along a chain of many thousand bodies fades
/// until it is denormal, which processors are slow at and which adds to no result. On processors
/// other than x86-64 and aarch64 there is one mode, which is left as it is.
class FloatMode {
 public:
  static FloatMode of_this_thread() noexcept { return FloatMode(read() & ~flags); }
  /// The same, with denormal numbers read and written as zero.
  FloatMode flushing() const noexcept { return FloatMode(control_ | flush); }

  friend bool operator==(const FloatMode&, const FloatMode&) = default;

 private:
  friend class FloatModeScope;

  using Word = std::uint64_t;
#if defined(__x86_64__)
  static constexpr Word flags = 0x3f;    // which exceptions have come so far: not a mode
  static constexpr Word flush = 0x8040;  // FTZ and DAZ
#elif defined(__aarch64__)
  static constexpr Word flags = 0, flush = Word{1} << 24;  // FZ
#else
  static constexpr Word flags = 0, flush = 0;
#endif

  explicit FloatMode(Word control) : control_(control) {}

  // All that is computed before or after comes from or goes to memory: so compilers, which know
  // nothing of modes, keep it on its side of these.
  static Word read() noexcept {
    Word word = 0;
#if defined(__x86_64__)
    std::uint32_t mxcsr;
    asm volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
    word = mxcsr;
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(word) : : "memory");
#endif
    return word;
  }
  void set() const noexcept {
#if defined(__x86_64__)
    const auto mxcsr = static_cast<std::uint32_t>((read() & flags) | control_);
    asm volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(control_) : "memory");
#endif
  }

  Word control_;
};

/// The calling thread computes in `mode` as long as this lives, then as before.
class FloatModeScope {
 public:
  explicit FloatModeScope(FloatMode mode) noexcept : before_(FloatMode::of_this_thread()) {
    mode.set();
  }
  ~FloatModeScope() { before_.set(); }
  FloatModeScope(const FloatModeScope&) = delete;
  FloatModeScope& operator=(const FloatModeScope&) = delete;

 private:
  FloatMode before_;
};

}  // namespace rbd_parallel_core
