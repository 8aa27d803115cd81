// SPDX-License-Identifier: Apache-2.0
#include "tree_report.hpp"

#include <iomanip>
#include <sstream>

#include "common/json.hpp"

namespace rbd_bench {
namespace {

void write_numbers(std::ostream& out, const std::vector<double>& numbers) {
  write_list(out, numbers, "", [&](double x) { write_number(out, x); });
}

void write_case(std::ostream& out, const TreeCase& c) {
  out << "{\"part\": " << quoted(c.part) << ", \"shape\": " << quoted(c.shape)
      << ", \"bodies\": " << c.bodies << ", \"pairs\": " << c.pairs << ", \"runners\": ";
  std::size_t k = 0;
  write_list(out, c.runners, "\n   ", [&](const Runner& runner) {
    out << "{\"name\": " << quoted(runner.name) << ", \"threads\": " << runner.threads
        << ", \"disagreement\": ";
    write_number(out, runner.disagreement);
    out << ", \"wall_ns\": ";
    write_numbers(out, c.samples[k].wall_ns);
    out << ", \"cpu_ns\": ";
    write_numbers(out, c.samples[k].cpu_ns);
    out << "}";
    ++k;
  });
  out << "}";
}

void write_errors(std::ostream& out, const TreeErrors& found) {
  out << "{\"shape\": " << quoted(found.shape) << ", \"bodies\": " << found.bodies
      << ", \"families\": ";
  write_list(out, found.families, "\n   ", [&](const Errors& errors) {
    out << "{\"family\": " << quoted(errors.family)
        << ", \"precision\": " << quoted(errors.precision) << ", \"torques\": ";
    write_number(out, errors.torques);
    out << ", \"tail\": ";
    write_number(out, errors.tail);
    if (errors.diagonal) {
      out << ", \"diagonal\": ";
      write_number(out, *errors.diagonal);
    }
    out << "}";
  });
  out << "}";
}

}  // namespace

std::string to_json(const TreeReport& report) {
  std::ostringstream out;
  out << std::setprecision(6);
  out << "{\"instruction_set\": " << quoted(report.instruction_set)
      << ",\n \"peer\": " << quoted(report.peer) << ",\n \"left_out\": ";
  write_list(out, report.left_out, "", [&](const std::string& text) { out << quoted(text); });
  out << ",\n \"cases\": ";
  write_list(out, report.cases, "\n  ", [&](const TreeCase& c) { write_case(out, c); });
  out << ",\n \"accuracy\": ";
  write_list(out, report.accuracy, "\n  ", [&](const TreeErrors& e) { write_errors(out, e); });
  out << "}\n";
  return out.str();
}

}  // namespace rbd_bench
