// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <charconv>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>

namespace rbd_bench {
namespace {

constexpr const char* kUsage =
    "usage: rbd_realtime URDF [OPTIONS]\n"
    "  --backend NAME      reference or cpu (default), with one thread\n"
    "  --period US         microseconds of a cycle, default 1000; 0: calls in a row\n"
    "  --seconds X         how long the cycles go on, default 60\n"
    "  --calls N           of each operation with --period 0, default 1000000\n"
    "  --inputs KIND       ordinary (default), or what an unknown one lists\n"
    "  --priority N        of SCHED_FIFO, default 80; 0: the ordinary scheduler\n"
    "  --core N            to stay on, default: the last one\n"
    "  --no-lock           leave the memory unlocked\n"
    "  --flush-denormals   let denormal numbers count as zero\n"
    "  --json FILE         write what was counted, with the histograms\n";

template <class Number>
Number number(const std::string& option, std::string_view text, Number smallest) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= smallest)) {
    throw std::runtime_error(option + ": expected a number of at least " +
                             std::to_string(smallest) + ", got '" + std::string(text) + "'");
  }
  return value;
}

}  // namespace

RealtimeSettings parse_settings(int argc, char** argv) {
  RealtimeSettings s;
  using Take = std::function<void(const std::string& option, const std::string& value)>;
  const std::map<std::string, Take> with_value = {
      {"--backend", [&](auto&, auto& value) { s.backend = value; }},
      {"--inputs", [&](auto&, auto& value) { s.inputs = value; }},
      {"--json", [&](auto&, auto& value) { s.json_file = value; }},
      {"--period",
       [&](auto& option, auto& value) { s.period_us = number<std::int64_t>(option, value, 0); }},
      {"--seconds", [&](auto& option, auto& value) { s.seconds = number(option, value, 1e-3); }},
      {"--calls",
       [&](auto& option, auto& value) { s.calls = number<std::uint64_t>(option, value, 1); }},
      {"--priority", [&](auto& option, auto& value) { s.priority = number(option, value, 0); }},
      {"--core", [&](auto& option, auto& value) { s.core = number(option, value, 0); }},
  };
  const std::map<std::string, std::function<void()>> alone = {
      {"--no-lock", [&] { s.lock_memory = false; }},
      {"--flush-denormals", [&] { s.flush_denormals = true; }},
  };
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (const auto found = alone.find(word); found != alone.end()) {
      found->second();
    } else if (const auto taker = with_value.find(word); taker != with_value.end()) {
      if (k + 1 == argc) throw std::runtime_error(word + " lacks a value\n" + kUsage);
      taker->second(word, argv[++k]);
    } else if (s.urdf.empty() && !word.starts_with("-")) {
      s.urdf = word;
    } else {
      throw std::runtime_error("unknown argument '" + word + "'\n" + kUsage);
    }
  }
  if (s.urdf.empty()) throw std::runtime_error(std::string("which robot?\n") + kUsage);
  return s;
}

}  // namespace rbd_bench
