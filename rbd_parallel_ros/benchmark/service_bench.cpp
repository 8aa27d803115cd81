// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <rclcpp/rclcpp.hpp>
#include <stdexcept>
#include <string>

#include "calls.hpp"
#include "measure.hpp"
#include "report.hpp"

/// Times the services of /dynamics against those of /echo, which both run already. Progress goes to
/// stderr, the result into a file.
namespace rbd_parallel_bench {
namespace {

constexpr const char* usage =
    "usage: service_bench ROUNDS BATCH RESULT.json [SERVICE...] [--ros-args ...]";

int positive_number(const std::string& text) {
  std::size_t used = 0;
  int number = 0;
  try {
    number = std::stoi(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || number < 1) {
    throw std::invalid_argument("expected a positive number, got '" + text + "'\n" + usage);
  }
  return number;
}

/// A line for each question that grows by ten dots while it is measured.
Row ask(const Question& question, int rounds) {
  std::fprintf(stderr, "%-18s %6zu states ", question.service.c_str(), question.states);
  const DuelResult result = measure(question.duel, rounds, [rounds](int done) {
    if (10 * done / rounds > 10 * (done - 1) / rounds) std::fputc('.', stderr);
  });
  std::fprintf(stderr, " %.2fx\n", result.ratio());
  return {question.service, question.states, result};
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write '" + path + "'");
}

void run(const std::vector<std::string>& words) {
  if (words.size() < 4) throw std::invalid_argument(usage);
  const int rounds = positive_number(words[1]), batch = positive_number(words[2]);
  const auto node = std::make_shared<rclcpp::Node>("service_bench");
  std::vector<Row> rows;
  const std::vector<std::string> services(words.begin() + 4, words.end());
  for (const Question& question : questions(node, static_cast<std::size_t>(batch), services)) {
    rows.push_back(ask(question, rounds));
  }
  write_file(words[3], to_json(rows, rounds));
}

}  // namespace
}  // namespace rbd_parallel_bench

int main(int argc, char** argv) try {
  rbd_parallel_bench::run(rclcpp::init_and_remove_ros_arguments(argc, argv));
  rclcpp::shutdown();
} catch (const std::exception& error) {
  std::fprintf(stderr, "service_bench: %s\n", error.what());
  return 1;
}
