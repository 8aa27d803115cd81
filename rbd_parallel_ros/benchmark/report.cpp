// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <iomanip>
#include <sstream>

namespace rbd_parallel_bench {
namespace {

void write_timing(std::ostream& out, const char* name, const Timing& timing) {
  constexpr double us = 1e6;
  out << "\"" << name << "\": {\"median_us\": " << us * timing.median
      << ", \"lower_quartile_us\": " << us * timing.lower_quartile
      << ", \"upper_quartile_us\": " << us * timing.upper_quartile
      << ", \"percentile_99_us\": " << us * timing.percentile_99
      << ", \"minimum_us\": " << us * timing.minimum << "}";
}

}  // namespace

std::string to_json(const std::vector<Row>& rows, int rounds) {
  std::ostringstream out;
  out << std::setprecision(6) << "{\"rounds\": " << rounds << ", \"cases\": [";
  const char* separator = "\n";
  for (const Row& row : rows) {
    out << separator << " {\"service\": \"" << row.service << "\", \"states\": " << row.states
        << ", \"ratio\": " << row.result.ratio() << ",\n  ";
    write_timing(out, "node", row.result.node);
    out << ",\n  ";
    write_timing(out, "echo", row.result.echo);
    out << "}";
    separator = ",\n";
  }
  out << "\n]}\n";
  return out.str();
}

}  // namespace rbd_parallel_bench
