// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "../text.hpp"

namespace rbd_parallel_ros {
namespace {

using Status = diagnostic_msgs::msg::DiagnosticStatus;

std::string text(double number) {
  char out[32];
  std::snprintf(out, sizeof out, "%.6g", number);
  return out;
}
std::string text(std::uint64_t number) { return std::to_string(number); }
std::string text(const std::string& words) { return words; }

template <class Value>
void add(Status& status, const char* key, const Value& value) {
  status.values.emplace_back();
  status.values.back().key = key;
  status.values.back().value = text(value);
}

void add_latency(Status& status, const LatencyHistogram::Summary& latency) {
  add(status, "latency mean (s)", latency.mean);
  add(status, "latency p99 (s)", latency.p99);
  add(status, "latency max (s)", latency.max);
}

/// Keeps the gravest level, and all messages of it.
void raise(Status& status, std::uint8_t level, const std::string& message) {
  if (level < status.level) return;
  status.message = level > status.level ? message : status.message + "; " + message;
  status.level = level;
}

std::string of_joint(const Configuration& configuration, int joint) {
  if (joint < 0 || static_cast<std::size_t>(joint) >= configuration.stream_joints.size()) return "";
  return " (joint " + in_quotes(configuration.stream_joints[static_cast<std::size_t>(joint)]) + ")";
}

bool is_about_a_joint(Refusal refusal) {
  return refusal == Refusal::not_finite || refusal == Refusal::missing_joint ||
         refusal == Refusal::duplicate_joint;
}

/// Why joint states were refused last.
std::string last_reason(const Configuration& configuration) {
  const Refusal refusal = configuration.stream->last_refusal;
  if (refusal == Refusal::none) return "none has come";
  const std::string joint =
      is_about_a_joint(refusal) ? of_joint(configuration, configuration.stream->last_joint) : "";
  return std::string(text_of(refusal).name) + joint + ": " + text_of(refusal).reason;
}

}  // namespace

std::vector<Status> Report::next(const Configuration& configuration,
                                 const ServiceStatistics& services, double seconds) {
  return {model(configuration), service(services), stream(configuration, seconds)};
}

Status Report::model(const Configuration& configuration) const {
  Status status;
  status.name = node_ + ": model";
  add(status, "state", configuration.lifecycle_state);
  if (!configuration.fault.empty()) {
    raise(status, Status::ERROR, "configure failed: " + configuration.fault);
    return status;
  }
  if (configuration.robot.empty() && configuration.joints == 0) {
    raise(status, Status::WARN, "the node is not configured");
    return status;
  }
  status.message = configuration.lifecycle_state;
  status.hardware_id = configuration.robot;
  add(status, "robot", configuration.robot);
  add(status, "joints", std::uint64_t{configuration.joints});
  add(status, "mass (kg)", configuration.mass);
  add(status, "payloads", std::uint64_t{configuration.payloads});
  add(status, "payload mass (kg)", configuration.payload_mass);
  add(status, "backend", configuration.backend);
  add(status, "backend computes with", configuration.backend_name);
  add(status, "why this backend", configuration.backend_reason);
  add(status, "warnings of the URDF", std::uint64_t{configuration.warnings});
  return status;
}

Status Report::service(const ServiceStatistics& services) {
  Status status;
  status.name = node_ + ": services";
  const std::uint64_t requests = services.requests, states = services.states;
  status.message = text(requests) + " requests";
  add(status, "requests", requests);
  add(status, "refused", std::uint64_t{services.refused});
  add(status, "batch size mean",
      requests == 0 ? 0.0 : static_cast<double>(states) / static_cast<double>(requests));
  add(status, "batch size max", std::uint64_t{services.largest_batch});
  add_latency(status, services.latency.summary());
  return status;
}

Report::StreamCounts Report::counts_of(const StreamStatistics& statistics) {
  StreamCounts out;
  out.received = statistics.received;
  out.computed = statistics.computed;
  out.refused =
      std::accumulate(statistics.refused.begin(), statistics.refused.end(), std::uint64_t{0});
  out.without_reference = statistics.without_reference;
  out.beyond_limits = statistics.beyond_limits;
  out.latency = statistics.latency.snapshot();
  return out;
}

Status Report::stream(const Configuration& configuration, double seconds) {
  Status status;
  status.name = node_ + ": effort stream";
  if (!configuration.stream) {
    status.message = "off";
    return status;
  }
  const StreamStatistics& statistics = *configuration.stream;
  if (last_stream_ != &statistics) last_ = {};
  last_stream_ = &statistics;
  const StreamCounts before = std::exchange(last_, counts_of(statistics));
  const LatencyHistogram::Summary latency =
      LatencyHistogram::between(before.latency, last_.latency);
  const std::uint64_t received = last_.received - before.received;
  const std::uint64_t refused = last_.refused - before.refused;

  status.message = configuration.active ? configuration.effort_mode : "inactive";
  if (configuration.active) {
    if (statistics.stale) {
      raise(status, Status::ERROR,
            "no joint state that can be used: " + last_reason(configuration));
    } else if (refused > 0) {
      raise(status, refused == received ? Status::ERROR : Status::WARN,
            text(refused) + " of " + text(received) +
                " joint states refused: " + last_reason(configuration));
    }
    if (last_.without_reference > before.without_reference) {
      raise(status, Status::WARN, "no reference that holds: accelerations are taken as zero");
    }
    if (last_.beyond_limits > before.beyond_limits) {
      raise(
          status, Status::WARN,
          std::string("efforts beyond the limit") +
              of_joint(configuration, statistics.beyond_limit_joint) +
              (configuration.stream_settings.limits == EffortLimits::clamp ? " were cut off" : ""));
    }
    if (latency.p99 > configuration.latency_error) {
      raise(status, Status::ERROR, "latency p99 is above latency_error");
    } else if (latency.p99 > configuration.latency_warning) {
      raise(status, Status::WARN, "latency p99 is above latency_warning");
    }
  }
  add(status, "mode", configuration.effort_mode);
  add(status, "joint_states rate (Hz)",
      seconds > 0 ? static_cast<double>(received) / seconds : 0.0);
  add(status, "received", last_.received);
  add(status, "computed", last_.computed);
  add(status, "times stale", std::uint64_t{statistics.times_stale});
  for (std::size_t i = 1; i < refusal_count; ++i) {
    const std::string key = std::string("refused: ") + text_of(static_cast<Refusal>(i)).name;
    add(status, key.c_str(), std::uint64_t{statistics.refused[i]});
  }
  add(status, "references refused", std::uint64_t{statistics.reference_refused});
  add(status, "base states refused", std::uint64_t{statistics.base_refused});
  add(status, "without reference", last_.without_reference);
  add(status, "beyond limits", last_.beyond_limits);
  add_latency(status, latency);
  return status;
}

}  // namespace rbd_parallel_ros
