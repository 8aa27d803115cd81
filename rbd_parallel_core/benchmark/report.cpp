// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <iomanip>
#include <sstream>

#include "common/json.hpp"

namespace rbd_bench {
namespace {

void write_entry(std::ostream& out, const Entry& entry) {
  const Label& label = entry.label;
  const Timing& t = entry.timing;
  out << "{\"who\": " << quoted(label.who) << ", \"variant\": " << quoted(label.variant)
      << ", \"precision\": " << quoted(label.precision) << ", \"layout\": " << quoted(label.layout)
      << ", \"isa\": " << quoted(label.instruction_set) << ", \"threads\": " << label.threads
      << ", \"disagreement\": " << entry.disagreement << ", \"samples\": " << t.samples
      << ", \"median_ns\": " << t.median << ", \"lower_quartile_ns\": " << t.lower_quartile
      << ", \"upper_quartile_ns\": " << t.upper_quartile << ", \"minimum_ns\": " << t.minimum
      << "}";
}

void write_case(std::ostream& out, const CaseResult& c) {
  out << "{\"robot\": " << quoted(c.robot) << ", \"nq\": " << c.nq << ", \"nv\": " << c.nv
      << ", \"bodies\": " << c.bodies << ", \"operation\": " << quoted(c.operation)
      << ", \"batch\": " << c.batch << ", \"threads\": " << c.threads << ", \"flops\": " << c.flops
      << ",\n     \"entries\": ";
  write_list(out, c.entries, "\n       ", [&](const Entry& entry) { write_entry(out, entry); });
  out << "}";
}

}  // namespace

std::string Label::text() const {
  std::string result = who;
  for (const std::string& part : {variant, precision, layout, instruction_set}) {
    if (!part.empty()) result += ' ' + part;
  }
  return result + ' ' + std::to_string(threads);
}

std::string to_json(const Report& report) {
  std::ostringstream out;
  out << std::setprecision(10);
  out << "{\n  \"case_seconds\": " << report.settings.case_seconds
      << ",\n  \"sample_seconds\": " << report.settings.sample_seconds << ",\n  \"peers\": ";
  write_list(out, report.peers, "\n    ", [&](const PeerVersion& peer) {
    out << "{\"name\": " << quoted(peer.name) << ", \"version\": " << quoted(peer.version) << "}";
  });
  out << ",\n  \"peaks\": ";
  write_list(out, report.peaks, "\n    ", [&](const Peak& peak) {
    out << "{\"isa\": " << quoted(peak.instruction_set)
        << ", \"precision\": " << quoted(peak.precision)
        << ", \"flops_per_ns\": " << peak.flops_per_ns << "}";
  });
  out << ",\n  \"bandwidths\": ";
  write_list(out, report.bandwidths, "\n    ", [&](const Bandwidth& bandwidth) {
    out << "{\"array_bytes\": " << bandwidth.array_bytes
        << ", \"read_bytes_per_ns\": " << bandwidth.read
        << ", \"write_bytes_per_ns\": " << bandwidth.write << "}";
  });
  out << ",\n  \"left_out\": ";
  write_list(out, report.left_out, "\n    ", [&](const std::string& text) { out << quoted(text); });
  out << ",\n  \"cases\": ";
  write_list(out, report.cases, "\n    ", [&](const CaseResult& c) { write_case(out, c); });
  out << "\n}\n";
  return out.str();
}

}  // namespace rbd_bench
