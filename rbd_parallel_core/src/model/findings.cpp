// SPDX-License-Identifier: Apache-2.0
#include "findings.hpp"

#include <utility>

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {
namespace {

std::string located(int line, std::string_view who, std::string_view what) {
  std::string text;
  if (line > 0) text.append("line ").append(std::to_string(line)).append(": ");
  if (!who.empty()) text.append(who).append(": ");
  return text.append(what);
}

}  // namespace

void Findings::fault(int line, std::string_view who, std::string_view what) {
  if (++fault_count_ <= max_listed) faults_.push_back(located(line, who, what));
}

void Findings::warning(int line, std::string_view who, std::string_view what) {
  if (++warning_count_ <= max_listed) warnings_.push_back(located(line, who, what));
}

void Findings::ignored(int line, std::string_view who, const std::string& what) {
  if (const auto known = ignored_at_.find(what); known != ignored_at_.end()) {
    ++ignored_[known->second].count;
  } else if (ignored_.size() < max_listed) {
    ignored_at_.emplace(what, ignored_.size());
    ignored_.push_back({located(line, who, what + " is ignored"), 1});
  }
}

std::vector<std::string> Findings::take_faults() {
  if (fault_count_ > max_listed) {
    faults_.push_back("and " + std::to_string(fault_count_ - max_listed) + " more faults");
  }
  return std::move(faults_);
}

std::vector<std::string> Findings::take_warnings() {
  if (warning_count_ > max_listed) {
    warnings_.push_back("and " + std::to_string(warning_count_ - max_listed) + " more warnings");
  }
  for (Ignored& entry : ignored_) {
    if (entry.count > 1) entry.first += " (" + std::to_string(entry.count) + " times in this text)";
    warnings_.push_back(std::move(entry.first));
  }
  return std::move(warnings_);
}

void Findings::throw_faults() {
  if (has_faults()) throw ModelError(take_faults(), take_warnings());
}

}  // namespace rbd_parallel_core
