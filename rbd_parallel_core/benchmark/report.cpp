// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace rbd_bench {
namespace {

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out << '\\' << c;
    } else if (code < 0x20) {
      out << "\\u" << std::hex << std::setw(4) << std::setfill('0') << int{code} << std::dec;
    } else {
      out << c;
    }
  }
  out << '"';
  return out.str();
}

void write_timing(std::ostream& out, const Timing& t) {
  out << "{\"name\": " << quoted(t.name) << ", \"median_ns\": " << t.median
      << ", \"lower_quartile_ns\": " << t.lower_quartile
      << ", \"upper_quartile_ns\": " << t.upper_quartile << ", \"minimum_ns\": " << t.minimum
      << "}";
}

void write_case(std::ostream& out, const CaseResult& c) {
  out << "    {\"robot\": " << quoted(c.robot) << ", \"nv\": " << c.nv
      << ", \"operation\": " << quoted(c.operation) << ", \"disagreement\": " << c.disagreement
      << ", \"ratio\": " << c.ratio() << ", \"best_peer\": " << quoted(c.best_peer().name)
      << ", \"ours\": " << quoted(c.ours().name) << ",\n     \"timings\": [";
  const char* separator = "";
  for (const Timing& timing : c.timings) {
    out << separator << "\n       ";
    write_timing(out, timing);
    separator = ",";
  }
  out << "]}";
}

}  // namespace

const Timing& CaseResult::best_peer() const {
  return *std::min_element(timings.begin(), timings.end() - 1,
                           [](const Timing& a, const Timing& b) { return a.median < b.median; });
}

std::string to_table(const Report& report) {
  std::ostringstream out;
  out << std::fixed << std::left << std::setw(18) << "robot" << std::right << std::setw(4) << "nv"
      << "  " << std::left << std::setw(6) << "op" << std::setw(18) << "best peer" << std::right
      << std::setw(12) << "peer ns" << std::setw(12) << "ours ns" << std::setw(8) << "ratio"
      << std::setw(14) << "disagreement"
      << "\n";
  for (const CaseResult& c : report.cases) {
    out << std::left << std::setw(18) << c.robot << std::right << std::setw(4) << c.nv << "  "
        << std::left << std::setw(6) << c.operation << std::setw(18) << c.best_peer().name
        << std::right << std::setprecision(1) << std::setw(12) << c.best_peer().median
        << std::setw(12) << c.ours().median << std::setprecision(2) << std::setw(8) << c.ratio()
        << std::scientific << std::setprecision(1) << std::setw(14) << c.disagreement << std::fixed
        << "\n";
  }
  return out.str();
}

std::string to_json(const Report& report) {
  std::ostringstream out;
  out << std::setprecision(10);
  out << "{\n  \"peer\": " << quoted("Pinocchio " + report.peer_version)
      << ",\n  \"backend\": " << quoted(report.backend)
      << ",\n  \"rounds\": " << report.settings.rounds
      << ",\n  \"sample_seconds\": " << report.settings.sample_seconds
      << ",\n  \"states\": " << report.states << ",\n  \"cases\": [";
  const char* separator = "\n";
  for (const CaseResult& c : report.cases) {
    out << separator;
    write_case(out, c);
    separator = ",\n";
  }
  out << "\n  ]\n}\n";
  return out.str();
}

}  // namespace rbd_bench
