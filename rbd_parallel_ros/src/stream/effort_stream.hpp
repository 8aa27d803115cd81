// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <nav_msgs/msg/odometry.hpp>
#include <rbd_parallel_msgs/msg/acceleration_reference.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <span>
#include <string>
#include <vector>

#include "../joint_selection.hpp"
#include "hand_over.hpp"
#include "joint_state_reader.hpp"
#include "latency.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "stamp_guard.hpp"
#include "stream_settings.hpp"

namespace rbd_parallel_ros {

/// How the messages of one topic did.
struct InputStatistics {
  std::array<std::atomic<std::uint64_t>, refusal_count> refused{};  ///< by Refusal
  std::atomic<Refusal> last{Refusal::none};      ///< why the last one that was refused was
  std::atomic<Refusal> standing{Refusal::none};  ///< the same, if none could be used since

  /// The next message; Refusal::none if it could be used.
  Refusal count(Refusal refusal);
};

/// What has happened in the stream, for another thread to read, also when the stream is gone.
struct StreamStatistics {
  InputStatistics states, references, bases;
  std::atomic<std::uint64_t> received{0}, computed{0};  ///< joint states
  std::atomic<std::uint64_t> without_reference{
      0};  ///< computed with acceleration zero for lack of one
  std::atomic<std::uint64_t> beyond_limits{0};
  std::atomic<int> last_joint{-1};  ///< that the last refusal was about, of effort_joints
  std::atomic<int> beyond_limit_joint{-1};
  std::atomic<std::uint64_t> times_stale{0};
  std::atomic<bool> stale{false};  ///< no input that could be used for input_timeout
  LatencyHistogram
      latency;  ///< from the start of a joint state's callback to the end of publishing
};

/// Efforts of one robot, joint state by joint state. Knows messages but no node, and takes all
/// times as arguments. One thread calls all but `replace_backend` and `counts`.
///
/// Safe before clever: from an input that is late, incomplete, not finite or out of order nothing
/// is computed, and the reason is counted.
class EffortStream {
 public:
  /// `backend` is configured for one state in one thread, and belongs to the stream from now on.
  /// Throws std::invalid_argument where the robot has joints that JointState has no room for.
  EffortStream(std::shared_ptr<rbd_parallel_core::Backend> backend, const JointTable& joints,
               const StreamSettings& settings);

  using Now = rbd_parallel_ros::Now;

  /// The floating base, the accelerations that are wanted. Nothing is kept of what is refused, not
  /// even its stamp.
  Refusal take(const nav_msgs::msg::Odometry& base, const Now& now);
  Refusal take(const rbd_parallel_msgs::msg::AccelerationReference& reference, const Now& now);

  /// Computes effort() from a joint state; otherwise says why there is none. Does not allocate, but
  /// for names of joints that are not those of the message before.
  Refusal take(const sensor_msgs::msg::JointState& state, const Now& now);

  /// N m or N, in the order of joint_names().
  std::span<const double> effort() const { return effort_; }
  const std::vector<std::string>& joint_names() const { return joints_.names; }

  /// True once when inputs have stopped: the last one that could be used is older than
  /// input_timeout (or there was none since the start).
  bool has_become_stale(SteadyNanoseconds now);
  /// As at the beginning.
  void restart(SteadyNanoseconds now);

  /// From another thread: the backend, with another model of the same joints, for the next joint
  /// state on. The stream does not wait for it.
  void replace_backend(std::shared_ptr<rbd_parallel_core::Backend> backend);

  const StreamStatistics& counts() const { return *statistics_; }
  const std::shared_ptr<StreamStatistics>& statistics() const { return statistics_; }
  const StreamSettings& settings() const { return settings_; }

 private:
  using BackendBox = std::unique_ptr<std::shared_ptr<rbd_parallel_core::Backend>>;

  Refusal read(const sensor_msgs::msg::JointState& state, const Now& now);
  Refusal read(const nav_msgs::msg::Odometry& base, const Now& now);
  Refusal read(const rbd_parallel_msgs::msg::AccelerationReference& reference, const Now& now);
  Refusal compute(const Now& now);
  void find_accelerations(SteadyNanoseconds now);
  Refusal put_effort();

  StreamSettings settings_;
  JointSelection joints_;
  bool floating_base_;
  JointStateReader reader_;
  StampGuard stamps_, base_stamps_, reference_stamps_;
  BackendBox backend_;
  HandOver<std::shared_ptr<rbd_parallel_core::Backend>> next_backend_;

  std::vector<double> q_, v_, a_, tau_;             ///< of the model
  std::vector<double> reference_, next_reference_;  ///< nv, accelerations
  std::vector<double> effort_, limits_;             ///< of joints_
  SteadyNanoseconds fresh_until_ = 0, base_until_ = 0, reference_until_ = 0;
  bool base_came_ = false;
  std::shared_ptr<StreamStatistics> statistics_ = std::make_shared<StreamStatistics>();
  StreamStatistics& counts_ = *statistics_;
};

}  // namespace rbd_parallel_ros
