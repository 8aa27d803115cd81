// SPDX-License-Identifier: Apache-2.0
#include "machine_code.hpp"

#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "encoder.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace rbd_parallel_core::compiled {
namespace {

template <class Bits>
void fill(std::byte* mask, Bits bits) {
  for (std::size_t k = 0; k < mask_bytes; k += sizeof bits)
    std::memcpy(mask + k, &bits, sizeof bits);
}

}  // namespace

FusedResult Target::fused_result() const {
  if (!neon()) return FusedResult::of_operand;
  return packed ? FusedResult::of_addend : FusedResult::anywhere;
}

int Target::registers() const {
  if (neon()) return 31;  // one is the encoder's: no operand can be in memory
  if (set == InstructionSet::avx512) return 32;
  return set == InstructionSet::baseline ? 15 : 16;  // one is the encoder's without three operands
}

std::size_t Target::width() const {
  if (!packed) return 1;
  const std::size_t bytes = set == InstructionSet::avx512 ? 64
                            : set == InstructionSet::avx2 ? 32
                                                          : 16;
  return bytes / number_bytes();
}

void write_masks(std::byte* block, bool is_float) {
  if (is_float) {
    fill(block, std::uint32_t{0x80000000u});
    fill(block + mask_bytes, std::uint32_t{0x7fffffffu});
  } else {
    fill(block, std::uint64_t{0x8000000000000000u});
    fill(block + mask_bytes, std::uint64_t{0x7fffffffffffffffu});
  }
}

void MachineCode::Unmap::operator()(void* pages) const {
#ifdef __linux__
  munmap(pages, length);
#else
  static_cast<void>(pages);
#endif
}

MachineCode::MachineCode(const AllocatedCode& code, const Target& target) {
  if (target.processor != this_processor) {
    throw std::runtime_error("code for another processor than this one cannot run");
  }
  const std::vector<std::byte> text = encode(code, target);
#ifdef __linux__
  void* const pages =
      mmap(nullptr, text.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    throw std::runtime_error(std::string("no memory for code: ") + std::strerror(errno));
  }
  pages_ = std::unique_ptr<void, Unmap>(pages, Unmap{text.size()});
  std::memcpy(pages, text.data(), text.size());
  // Some processors do not see in their instruction cache what was written as data.
  char* const begin = static_cast<char*>(pages);
  __builtin___clear_cache(begin, begin + text.size());
  if (mprotect(pages, text.size(), PROT_READ | PROT_EXEC) != 0) {
    throw std::runtime_error(std::string("the system does not allow executable memory: ") +
                             std::strerror(errno));
  }
  entry_ = reinterpret_cast<void (*)(std::byte*)>(pages);
  bytes_ = text.size();
#else
  throw std::runtime_error("code is made on Linux only");
#endif
}

std::string why_no_machine_code() {
  try {
    const MachineCode empty({}, {});
    alignas(64) std::byte block[masks_bytes];
    empty.run(block);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace rbd_parallel_core::compiled
