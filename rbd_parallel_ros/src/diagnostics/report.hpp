// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <memory>
#include <string>
#include <vector>

#include "../stream/effort_stream.hpp"
#include "service_statistics.hpp"

/// What the node says about itself on /diagnostics. Knows no node.
namespace rbd_parallel_ros {

/// What does not change while the node is configured, apart from `active`.
struct Configuration {
  std::string lifecycle_state = "unconfigured";
  bool active = false;
  std::string fault;  ///< why the last configure failed
  // While configured:
  std::string robot, backend, backend_name, backend_reason;
  std::size_t joints = 0, warnings = 0, payloads = 0;
  double mass = 0, payload_mass = 0;     ///< kg
  bool other_description = false;        ///< one came by topic that is not in use
  std::vector<std::string> not_applied;  ///< parameters that were set since configure
  std::string effort_mode;
  StreamSettings stream_settings;
  std::vector<std::string> stream_joints;
  std::shared_ptr<const StreamStatistics> stream;  ///< none where effort_mode is off
  double latency_warning = 0, latency_error = 0;   ///< s
};

/// Turns counts into statuses; what happens is judged from one report to the next.
class Report {
 public:
  using Status = diagnostic_msgs::msg::DiagnosticStatus;

  /// `node` is what the names of the statuses start with.
  explicit Report(std::string node) : node_(std::move(node)) {}

  /// `seconds`: since the report before.
  std::vector<Status> next(const Configuration& configuration, const ServiceStatistics& services,
                           double seconds);

 private:
  Status model(const Configuration& configuration) const;
  Status service(const ServiceStatistics& services);
  Status stream(const Configuration& configuration, double seconds);

  struct StreamCounts {
    std::array<std::uint64_t, refusal_count> refused_by{};  ///< by Refusal
    std::uint64_t received = 0, computed = 0, refused = 0, passed_over = 0, references_refused = 0,
                  bases_refused = 0, without_reference = 0, beyond_limits = 0;
    LatencyHistogram::Snapshot latency;
  };
  static StreamCounts counts_of(const StreamStatistics& statistics);

  struct ServiceCounts {
    std::uint64_t refused = 0, failed = 0;
  };

  std::string node_;
  ServiceCounts last_services_;
  std::shared_ptr<const StreamStatistics> last_stream_;
  StreamCounts last_;
};

}  // namespace rbd_parallel_ros
