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

/// Messages that were not for this robot.
std::uint64_t passed_over(const StreamStatistics& statistics) {
  return statistics.refused[static_cast<std::size_t>(Refusal::other_joints)];
}

std::string reason_of(Refusal refusal) {
  return std::string(text_of(refusal).name) + ": " + text_of(refusal).reason;
}

/// Why a joint state was refused.
std::string reason_of(const Configuration& configuration, Refusal refusal) {
  const StreamStatistics& statistics = *configuration.stream;
  const std::string joint =
      is_about_a_joint(refusal) ? of_joint(configuration, statistics.last_joint) : "";
  const Refusal base = statistics.last_base_refusal;
  const bool bad_base =
      base != Refusal::none && (refusal == Refusal::base_missing || refusal == Refusal::base_old);
  return std::string(text_of(refusal).name) + joint + ": " + text_of(refusal).reason +
         (bad_base ? "; the last one was refused by " + reason_of(base) : "");
}

/// Why there is no joint state that can be used.
std::string reason_of_silence(const Configuration& configuration) {
  const Refusal refusal = configuration.stream->standing_refusal;
  if (refusal != Refusal::none) return reason_of(configuration, refusal);
  return passed_over(*configuration.stream) == 0 ? "none has come"
                                                 : "none has come that names its joints";
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
    raise(status, Status::WARN, "no model: the node is " + configuration.lifecycle_state);
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
  std::copy(statistics.refused.begin(), statistics.refused.end(), out.refused_by.begin());
  out.refused = std::accumulate(out.refused_by.begin(), out.refused_by.end(), std::uint64_t{0}) -
                out.refused_by[static_cast<std::size_t>(Refusal::other_joints)];
  out.references_refused = statistics.reference_refused;
  out.bases_refused = statistics.base_refused;
  out.without_reference = statistics.without_reference;
  out.beyond_limits = statistics.beyond_limits;
  out.latency = statistics.latency.snapshot();
  return out;
}

Status Report::stream(const Configuration& configuration, double seconds) {
  Status status;
  status.name = node_ + ": effort stream";
  if (!configuration.stream) {
    last_stream_.reset();
    status.message = "off";
    return status;
  }
  const StreamStatistics& statistics = *configuration.stream;
  if (last_stream_ != configuration.stream) last_ = {};
  last_stream_ = configuration.stream;
  const StreamCounts before = std::exchange(last_, counts_of(statistics));
  const LatencyHistogram::Summary latency =
      LatencyHistogram::between(before.latency, last_.latency);
  const std::uint64_t received = last_.received - before.received;
  const std::uint64_t refused = last_.refused - before.refused;

  status.message = configuration.active ? configuration.effort_mode : "inactive";
  if (configuration.active) {
    if (statistics.stale) {
      raise(status, Status::ERROR,
            "no joint state that can be used: " + reason_of_silence(configuration));
    } else if (refused > 0) {
      raise(status, refused == received ? Status::ERROR : Status::WARN,
            text(refused) + " of " + text(received) +
                " joint states refused: " + reason_of(configuration, statistics.last_refusal));
    }
    if (last_.references_refused > before.references_refused) {
      raise(status, Status::WARN,
            "references refused: " + reason_of(statistics.last_reference_refusal));
    }
    if (last_.bases_refused > before.bases_refused) {
      raise(status, Status::WARN,
            "base states refused: " + reason_of(statistics.last_base_refusal));
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
    add(status, key.c_str(), last_.refused_by[i]);
  }
  add(status, "references refused", last_.references_refused);
  add(status, "base states refused", last_.bases_refused);
  add(status, "without reference", last_.without_reference);
  add(status, "beyond limits", last_.beyond_limits);
  add_latency(status, latency);
  return status;
}

}  // namespace rbd_parallel_ros
