// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rbd_parallel_core {

/// Collects faults and warnings as `line 12: joint 'elbow': what`. Only so many are kept: a broken
/// generator makes the same mistake a hundred thousand times.
class Findings {
 public:
  static constexpr std::size_t max_listed = 1000;

  void fault(int line, std::string_view who, std::string_view what);
  void warning(int line, std::string_view who, std::string_view what);
  /// Something that is ignored. Repetitions of the same `what` are counted, not listed.
  void ignored(int line, std::string_view who, const std::string& what);

  bool has_faults() const { return fault_count_ > 0; }
  std::vector<std::string> take_faults();
  std::vector<std::string> take_warnings();
  /// Throws a ModelError with all of it if there are faults.
  void throw_faults();

 private:
  struct Ignored {
    std::string first;
    std::size_t count;
  };
  std::vector<std::string> faults_, warnings_;
  std::size_t fault_count_ = 0, warning_count_ = 0;
  std::vector<Ignored> ignored_;                   // in the order of the text
  std::map<std::string, std::size_t> ignored_at_;  // by what: index into ignored_
};

}  // namespace rbd_parallel_core
