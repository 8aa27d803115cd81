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

/// The gravest level counts. All messages stay, the gravest first: none hides another's reason.
void raise(Status& status, std::uint8_t level, const std::string& message) {
  const bool first = status.level == Status::OK;  // whose message is no finding
  if (first) {
    status.message = message;
  } else if (level > status.level) {
    status.message = message + "; " + status.message;
  } else {
    status.message += "; " + message;
  }
  status.level = std::max(status.level, level);
}

std::string of_joint(const Configuration& configuration, int joint) {
  if (joint < 0 || static_cast<std::size_t>(joint) >= configuration.stream_joints.size()) return "";
  return " (joint " + in_quotes(configuration.stream_joints[static_cast<std::size_t>(joint)]) + ")";
}

bool is_about_a_joint(Refusal refusal) {
  return refusal == Refusal::not_finite || refusal == Refusal::missing_joint ||
         refusal == Refusal::duplicate_joint;
}

/// Of all reasons but that a message was not for this robot.
std::uint64_t refused_of(const InputStatistics& input) {
  std::uint64_t sum = 0;
  for (const auto& count : input.refused) sum += count;
  return sum - input.refused[static_cast<std::size_t>(Refusal::other_joints)];
}

std::string reason_of(Refusal refusal) {
  return std::string(text_of(refusal).name) + ": " + text_of(refusal).reason;
}

/// Why a joint state was refused.
std::string reason_of(const Configuration& configuration, Refusal refusal) {
  const StreamStatistics& statistics = *configuration.stream;
  const std::string joint =
      is_about_a_joint(refusal) ? of_joint(configuration, statistics.last_joint) : "";
  const Refusal base = statistics.bases.standing;
  const bool bad_base =
      base != Refusal::none && (refusal == Refusal::base_missing || refusal == Refusal::base_old);
  return std::string(text_of(refusal).name) + joint + ": " + text_of(refusal).reason +
         (bad_base ? "; the last one was refused by " + reason_of(base) : "");
}

/// Why there is no joint state that can be used. `received` and `passed_over`: since the report
/// before, for this robot and for others.
std::string reason_of_silence(const Configuration& configuration, std::uint64_t received,
                              std::uint64_t passed_over) {
  const StreamStatistics& statistics = *configuration.stream;
  const Refusal refusal = statistics.states.standing;
  const bool refused = refusal != Refusal::none;
  if (refused && received > 0) return reason_of(configuration, refusal);
  const std::string none = statistics.received == 0 ? "none has come" : "none comes any more";
  return none + (passed_over == 0 ? "" : " that names its joints") +
         (refused ? "; the last one was refused by " + reason_of(configuration, refusal) : "");
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
  if (configuration.other_description) {
    raise(status, Status::WARN,
          "another robot_description has come, which is not in use; deactivate, clean up and "
          "configure to use it");
  }
  if (!configuration.not_applied.empty()) {
    raise(status, Status::WARN,
          "set since the last configure and not applied yet: " + listed(configuration.not_applied) +
              "; deactivate, clean up and configure to apply it");
  }
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
  const ServiceCounts services_now{services.refused, services.failed};
  const ServiceCounts before = std::exchange(last_services_, services_now);
  status.message = text(requests) + " requests";
  const std::uint64_t refused = services_now.refused - before.refused;
  const std::uint64_t failed = services_now.failed - before.failed;
  if (refused > 0 || failed > 0) {
    raise(status, Status::WARN,
          text(refused) + " requests refused, " + text(failed) +
              " with failed states; the last: " + services.last_error());
  }
  add(status, "requests", requests);
  add(status, "refused", services_now.refused);
  add(status, "with failed states", services_now.failed);
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
  const auto& refused = statistics.states.refused;
  std::copy(refused.begin(), refused.end(), out.refused_by.begin());
  out.passed_over = out.refused_by[static_cast<std::size_t>(Refusal::other_joints)];
  out.refused = std::accumulate(out.refused_by.begin(), out.refused_by.end(), std::uint64_t{0}) -
                out.passed_over;
  out.references_refused = refused_of(statistics.references);
  out.bases_refused = refused_of(statistics.bases);
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
            "no joint state that can be used: " +
                reason_of_silence(configuration, received, last_.passed_over - before.passed_over));
    } else if (refused > 0) {
      raise(status, refused == received ? Status::ERROR : Status::WARN,
            text(refused) + " of " + text(received) +
                " joint states refused: " + reason_of(configuration, statistics.states.last));
    }
    if (last_.references_refused > before.references_refused) {
      raise(status, Status::WARN, "references refused: " + reason_of(statistics.references.last));
    }
    if (last_.bases_refused > before.bases_refused) {
      raise(status, Status::WARN, "base states refused: " + reason_of(statistics.bases.last));
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
