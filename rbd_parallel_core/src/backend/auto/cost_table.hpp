// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "rbd_parallel_core/operation.hpp"

/// What the backends cost: the numbers that `auto` chooses by.
namespace rbd_parallel_core {

/// Backends that `auto` chooses from.
enum class Candidate : std::uint8_t { cpu, compiled, tree, cuda };
inline constexpr std::size_t candidate_count = 4;
inline constexpr std::array<Candidate, candidate_count> all_candidates{
    Candidate::cpu, Candidate::compiled, Candidate::tree, Candidate::cuda};
std::string name_of(Candidate candidate);

/// The type of the numbers of a backend.
enum class Precision : std::uint8_t { float64, float32 };

/// From one number to another, both included.
struct CountRange {
  static constexpr std::size_t no_end = std::numeric_limits<std::size_t>::max();
  std::size_t first = 1, last = no_end;

  bool contains(std::size_t count) const noexcept { return count >= first && count <= last; }
  bool overlaps(const CountRange& other) const noexcept {
    return first <= other.last && other.first <= last;
  }
};

/// What the work for one state depends on.
struct RobotShape {
  std::size_t bodies = 0;
  std::size_t depth = 0;    ///< bodies on the longest path; the fewer, the more the tree branches
  std::size_t entries = 0;  ///< of the lower triangle of M that can differ from zero
  std::size_t zeros = 0;    ///< of the full M that cannot
};

/// One line of the table: what one run of the kernels costs where the line holds.
struct CostLine {
  Candidate backend = Candidate::cpu;
  Operation operation = Operation::inverse_dynamics;
  Precision precision = Precision::float64;
  CountRange bodies, batch;  ///< where it holds
  double fixed_us = 0;
  double ns_per_body = 0, ns_per_entry = 0, ns_per_zero = 0;
  double ns_per_level = 0;  ///< at least -ns_per_body
  double two_threads = 1;   ///< how much faster two threads are than one
  int line = 0;             ///< of the text

  bool overlaps(const CostLine& other) const noexcept {
    return backend == other.backend && operation == other.operation &&
           precision == other.precision && bodies.overlaps(other.bodies) &&
           batch.overlaps(other.batch);
  }
  /// Microseconds of one run on one thread.
  double run_us(const RobotShape& shape) const noexcept;
  /// What one thread's time is multiplied by on several, by Amdahl's law through `two_threads`.
  double share(int threads) const noexcept;
};

/// The operation whose costs stand for those of another: what has no lines of its own is priced as
/// inverse dynamics, which also visits every body twice.
Operation priced_as(Operation operation) noexcept;

/// The lines of a text, of which
///
///   cpu inverse_dynamics float64 1-255 2- 0.1 12.5 0 0 0 1.9
///
/// is one: backend, operation, precision, bodies and batch where it holds, then fixed_us,
/// ns_per_body, ns_per_level, ns_per_entry, ns_per_zero, two_threads. What follows a # is a remark.
class CostTable {
 public:
  /// Throws std::invalid_argument with `origin`, the line and the reason.
  static CostTable parse(std::string_view text, const std::string& origin);
  /// That of the library.
  static CostTable built_in();
  /// That of the file which RBD_PARALLEL_COSTS names, else the one built in. Throws likewise, also
  /// where the file cannot be read.
  static CostTable of_environment();

  const std::string& origin() const noexcept { return origin_; }
  const std::vector<CostLine>& lines() const noexcept { return lines_; }
  /// The lines that hold for robots of so many bodies.
  std::vector<CostLine> of(Candidate backend, Operation operation, Precision precision,
                           std::size_t bodies) const;

 private:
  std::string origin_;
  std::vector<CostLine> lines_;
};

}  // namespace rbd_parallel_core
