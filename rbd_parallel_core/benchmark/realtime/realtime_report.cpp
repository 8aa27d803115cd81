// SPDX-License-Identifier: Apache-2.0
#include "realtime_report.hpp"

#include <cstdarg>
#include <cstdio>

namespace rbd_bench {
namespace {

struct Share {
  const char* name;
  double value;
};
constexpr Share kShares[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}};

__attribute__((format(printf, 1, 2))) std::string format(const char* form, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(text, sizeof(text), form, arguments);
  va_end(arguments);
  return text;
}

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1e3; }

std::string row(const char* name, const Histogram& histogram) {
  std::string text =
      format("  %-17s %9llu", name, static_cast<long long unsigned>(histogram.count()));
  for (const Share& share : kShares) {
    text += format(" %8.2f", microseconds(histogram.quantile(share.value)));
  }
  return text + format(" %9.2f\n", microseconds(histogram.maximum()));
}

std::string row(const char* name, const Usage& usage) {
  return format(
      "  %-13s %12lld %12lld %12lld %12lld %12lld\n", name,
      static_cast<long long>(usage.allocations), static_cast<long long>(usage.minor_faults),
      static_cast<long long>(usage.major_faults), static_cast<long long>(usage.voluntary_switches),
      static_cast<long long>(usage.involuntary_switches));
}

std::string json(const Usage& usage) {
  return format(
      "{\"allocations\": %lld, \"minor_faults\": %lld, \"major_faults\": %lld, "
      "\"voluntary_switches\": %lld, \"involuntary_switches\": %lld}",
      static_cast<long long>(usage.allocations), static_cast<long long>(usage.minor_faults),
      static_cast<long long>(usage.major_faults), static_cast<long long>(usage.voluntary_switches),
      static_cast<long long>(usage.involuntary_switches));
}

std::string json(const Histogram& histogram) {
  std::string text =
      format("{\"count\": %llu, \"min\": %lld", static_cast<long long unsigned>(histogram.count()),
             static_cast<long long>(histogram.minimum()));
  for (const Share& share : kShares) {
    text += format(", \"%s\": %lld", share.name,
                   static_cast<long long>(histogram.quantile(share.value)));
  }
  text += format(", \"max\": %lld, \"buckets\": [", static_cast<long long>(histogram.maximum()));
  const char* separator = "";
  for (std::size_t k = 0; k < Histogram::kBuckets; ++k) {
    if (histogram.count_in(k) == 0) continue;
    text += format("%s[%lld, %llu]", separator, static_cast<long long>(Histogram::lower_end(k)),
                   static_cast<long long unsigned>(histogram.count_in(k)));
    separator = ", ";
  }
  return text + "]}";
}

std::string json_of_calls(const Loop& loop) {
  std::string text;
  for (std::size_t k = 0; k < kOperations.size(); ++k) {
    text +=
        format("%s\n  \"%s\": ", k == 0 ? "" : ",", kOperations[k]) + json(loop.counts().calls[k]);
  }
  return text;
}

std::string json_of_first_calls(const Loop& loop) {
  std::string text;
  for (std::size_t k = 0; k < kOperations.size(); ++k) {
    text += format("%s\"%s\": %lld", k == 0 ? "" : ", ", kOperations[k],
                   static_cast<long long>(loop.first_calls()[k]));
  }
  return text;
}

}  // namespace

std::string to_text(const RealtimeSettings& settings, const Granted& granted, const Loop& loop) {
  const Counts& counts = loop.counts();
  std::string text = format(
      "backend %s, one thread, inputs %s, %s\n", settings.backend.c_str(), settings.inputs.c_str(),
      settings.period_us == 0
          ? "calls in a row"
          : format("a cycle every %lld us", static_cast<long long>(settings.period_us)).c_str());
  text += "scheduler: " + granted.scheduler + "; memory: " + granted.memory +
          "; core: " + granted.core +
          "\n\nmicroseconds           count      p50      p99    p99.9" + "   p99.99       max\n";
  for (std::size_t k = 0; k < kOperations.size(); ++k) text += row(kOperations[k], counts.calls[k]);
  if (settings.period_us != 0) text += row("wake-up", counts.wake_up);
  text +=
      "\nevents           allocations minor faults major faults    voluntary  involuntary "
      "switches\n";
  text += row("first calls", loop.first_usage()) + row("inside calls", counts.inside) +
          row("outside", counts.outside);
  return text + format("calls refused: %llu, cycles missed: %llu\n",
                       static_cast<long long unsigned>(counts.refused),
                       static_cast<long long unsigned>(counts.missed));
}

std::string to_json(const RealtimeSettings& settings, const Granted& granted, const Loop& loop) {
  const Counts& counts = loop.counts();
  return format(
             "{\"backend\": \"%s\", \"inputs\": \"%s\", \"flush_denormals\": %s, "
             "\"period_us\": %lld,\n",
             settings.backend.c_str(), settings.inputs.c_str(),
             settings.flush_denormals ? "true" : "false",
             static_cast<long long>(settings.period_us)) +
         "\"scheduler\": \"" + granted.scheduler + "\", \"memory\": \"" + granted.memory +
         "\", \"core\": \"" + granted.core + "\",\n" +
         format("\"refused\": %llu, \"missed\": %llu,\n",
                static_cast<long long unsigned>(counts.refused),
                static_cast<long long unsigned>(counts.missed)) +
         "\"first_calls\": {" + json_of_first_calls(loop) +
         "},\n\"first_usage\": " + json(loop.first_usage()) +
         ",\n\"inside\": " + json(counts.inside) + ",\n\"outside\": " + json(counts.outside) +
         ",\n\"calls\": {" + json_of_calls(loop) + "},\n\"wake_up\": " + json(counts.wake_up) +
         "}\n";
}

}  // namespace rbd_bench
