// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "rbd_parallel_core/instruction_set.hpp"
#include "register_allocation.hpp"

namespace rbd_parallel_core::compiled {

/// The processors that there is an encoder for.
enum class Processor : std::uint8_t { x86_64, arm64 };
#ifdef __aarch64__
inline constexpr Processor this_processor = Processor::arm64;
#else
inline constexpr Processor this_processor = Processor::x86_64;
#endif

/// What code is made for.
struct Target {
  InstructionSet set = InstructionSet::baseline;
  bool packed = false;  ///< as many states as a register of the set holds, or one
  bool is_float = false;
  Processor processor = this_processor;  ///< which one `baseline` is of

  bool neon() const { return processor == Processor::arm64; }
  bool fused() const { return set != InstructionSet::baseline || neon(); }
  FusedResult fused_result() const;
  int registers() const;
  std::size_t width() const;  ///< numbers of a Scalar
  std::size_t number_bytes() const { return is_float ? 4 : 8; }
  std::size_t scalar_bytes() const { return width() * number_bytes(); }
};

/// Masks that the code reads lie before the first place of a block: for signs and absolute values,
/// as wide as the widest register.
inline constexpr std::size_t mask_bytes = 64, masks_bytes = 2 * mask_bytes;
/// Writes them.
void write_masks(std::byte* block, bool is_float);

/// Whether this build can make code at all, and code may run here; else the reason. Tries it once
/// with a function that returns at once.
std::string why_no_machine_code();

/// Pages that were written and can now be read and executed, no longer written.
class MachineCode {
 public:
  /// Throws std::runtime_error where the system refuses executable memory, or this build has no
  /// encoder.
  MachineCode(const AllocatedCode& code, const Target& target);

  /// block: aligned to 64 bytes, masks_bytes and then the places of the layout.
  void run(std::byte* block) const noexcept { entry_(block); }
  auto entry() const { return entry_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Unmap {
    std::size_t length;
    void operator()(void* pages) const;
  };
  std::unique_ptr<void, Unmap> pages_{nullptr, Unmap{0}};
  void (*entry_)(std::byte*) = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace rbd_parallel_core::compiled
