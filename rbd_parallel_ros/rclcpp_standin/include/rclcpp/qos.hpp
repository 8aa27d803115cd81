// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rmw/qos_profiles.h>
#include <rmw/types.h>

#include <cstddef>

#include "rclcpp/duration.hpp"

namespace rclcpp {

enum class HistoryPolicy {
  KeepLast = RMW_QOS_POLICY_HISTORY_KEEP_LAST,
  KeepAll = RMW_QOS_POLICY_HISTORY_KEEP_ALL,
  SystemDefault = RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT,
  Unknown = RMW_QOS_POLICY_HISTORY_UNKNOWN,
};

enum class ReliabilityPolicy {
  BestEffort = RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT,
  Reliable = RMW_QOS_POLICY_RELIABILITY_RELIABLE,
  SystemDefault = RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_RELIABILITY_UNKNOWN,
};

enum class DurabilityPolicy {
  Volatile = RMW_QOS_POLICY_DURABILITY_VOLATILE,
  TransientLocal = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
  SystemDefault = RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_DURABILITY_UNKNOWN,
};

enum class LivelinessPolicy {
  Automatic = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC,
  ManualByTopic = RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC,
  SystemDefault = RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_LIVELINESS_UNKNOWN,
};

/// How many messages are kept; what every QoS starts from.
struct QoSInitialization {
  rmw_qos_history_policy_t history_policy;
  size_t depth;

  QoSInitialization(rmw_qos_history_policy_t history, size_t depth_)
      : history_policy(history), depth(depth_) {}
  static QoSInitialization from_rmw(const rmw_qos_profile_t& profile) {
    return {profile.history, profile.depth};
  }
};

struct KeepAll : QoSInitialization {
  KeepAll() : QoSInitialization(RMW_QOS_POLICY_HISTORY_KEEP_ALL, 0) {}
};

struct KeepLast : QoSInitialization {
  explicit KeepLast(size_t depth_) : QoSInitialization(RMW_QOS_POLICY_HISTORY_KEEP_LAST, depth_) {}
};

class QoS {
 public:
  explicit QoS(const QoSInitialization& initialization,
               const rmw_qos_profile_t& profile = rmw_qos_profile_default)
      : profile_(profile) {
    profile_.history = initialization.history_policy;
    profile_.depth = initialization.depth;
  }
  QoS(size_t history_depth) : QoS(KeepLast(history_depth)) {}  // NOLINT: implicit, as in rclcpp

  rmw_qos_profile_t& get_rmw_qos_profile() { return profile_; }
  const rmw_qos_profile_t& get_rmw_qos_profile() const { return profile_; }

  QoS& history(HistoryPolicy policy) {
    return history(static_cast<rmw_qos_history_policy_t>(policy));
  }
  QoS& history(rmw_qos_history_policy_t policy) {
    profile_.history = policy;
    return *this;
  }
  QoS& keep_last(size_t depth) {
    profile_.depth = depth;
    return history(HistoryPolicy::KeepLast);
  }
  QoS& keep_all() {
    profile_.depth = 0;
    return history(HistoryPolicy::KeepAll);
  }
  QoS& reliability(rmw_qos_reliability_policy_t policy) {
    profile_.reliability = policy;
    return *this;
  }
  QoS& reliability(ReliabilityPolicy policy) {
    return reliability(static_cast<rmw_qos_reliability_policy_t>(policy));
  }
  QoS& reliable() { return reliability(ReliabilityPolicy::Reliable); }
  QoS& best_effort() { return reliability(ReliabilityPolicy::BestEffort); }
  QoS& reliability_best_available() { return reliability(ReliabilityPolicy::BestAvailable); }
  QoS& durability(rmw_qos_durability_policy_t policy) {
    profile_.durability = policy;
    return *this;
  }
  QoS& durability(DurabilityPolicy policy) {
    return durability(static_cast<rmw_qos_durability_policy_t>(policy));
  }
  QoS& durability_volatile() { return durability(DurabilityPolicy::Volatile); }
  QoS& transient_local() { return durability(DurabilityPolicy::TransientLocal); }
  QoS& durability_best_available() { return durability(DurabilityPolicy::BestAvailable); }
  QoS& deadline(rmw_time_t deadline) {
    profile_.deadline = deadline;
    return *this;
  }
  QoS& deadline(const Duration& duration) { return deadline(duration.to_rmw_time()); }
  QoS& lifespan(rmw_time_t lifespan) {
    profile_.lifespan = lifespan;
    return *this;
  }
  QoS& lifespan(const Duration& duration) { return lifespan(duration.to_rmw_time()); }
  QoS& liveliness(rmw_qos_liveliness_policy_t policy) {
    profile_.liveliness = policy;
    return *this;
  }
  QoS& liveliness(LivelinessPolicy policy) {
    return liveliness(static_cast<rmw_qos_liveliness_policy_t>(policy));
  }
  QoS& liveliness_lease_duration(rmw_time_t duration) {
    profile_.liveliness_lease_duration = duration;
    return *this;
  }
  QoS& liveliness_lease_duration(const Duration& duration) {
    return liveliness_lease_duration(duration.to_rmw_time());
  }
  QoS& avoid_ros_namespace_conventions(bool avoid) {
    profile_.avoid_ros_namespace_conventions = avoid;
    return *this;
  }

  HistoryPolicy history() const { return static_cast<HistoryPolicy>(profile_.history); }
  size_t depth() const { return profile_.depth; }
  ReliabilityPolicy reliability() const {
    return static_cast<ReliabilityPolicy>(profile_.reliability);
  }
  DurabilityPolicy durability() const { return static_cast<DurabilityPolicy>(profile_.durability); }
  Duration deadline() const { return Duration::from_rmw_time(profile_.deadline); }
  Duration lifespan() const { return Duration::from_rmw_time(profile_.lifespan); }
  LivelinessPolicy liveliness() const { return static_cast<LivelinessPolicy>(profile_.liveliness); }
  Duration liveliness_lease_duration() const {
    return Duration::from_rmw_time(profile_.liveliness_lease_duration);
  }
  bool avoid_ros_namespace_conventions() const { return profile_.avoid_ros_namespace_conventions; }

 private:
  rmw_qos_profile_t profile_;
};

bool operator==(const QoS& left, const QoS& right);
inline bool operator!=(const QoS& left, const QoS& right) { return !(left == right); }

// One class for each of rmw's named profiles.

class ClockQoS : public QoS {
 public:
  explicit ClockQoS(const QoSInitialization& initialization = KeepLast(1))
      : QoS(initialization, rmw_qos_profile_sensor_data) {}
};

class SensorDataQoS : public QoS {
 public:
  explicit SensorDataQoS(const QoSInitialization& initialization =
                             QoSInitialization::from_rmw(rmw_qos_profile_sensor_data))
      : QoS(initialization, rmw_qos_profile_sensor_data) {}
};

class ParametersQoS : public QoS {
 public:
  explicit ParametersQoS(const QoSInitialization& initialization =
                             QoSInitialization::from_rmw(rmw_qos_profile_parameters))
      : QoS(initialization, rmw_qos_profile_parameters) {}
};

class ServicesQoS : public QoS {
 public:
  explicit ServicesQoS(const QoSInitialization& initialization =
                           QoSInitialization::from_rmw(rmw_qos_profile_services_default))
      : QoS(initialization, rmw_qos_profile_services_default) {}
};

class ParameterEventsQoS : public QoS {
 public:
  explicit ParameterEventsQoS(const QoSInitialization& initialization =
                                  QoSInitialization::from_rmw(rmw_qos_profile_parameter_events))
      : QoS(initialization, rmw_qos_profile_parameter_events) {}
};

class RosoutQoS : public QoS {
 public:
  explicit RosoutQoS(const QoSInitialization& initialization =
                         QoSInitialization::from_rmw(rmw_qos_profile_rosout_default))
      : QoS(initialization, rmw_qos_profile_rosout_default) {}
};

class SystemDefaultsQoS : public QoS {
 public:
  explicit SystemDefaultsQoS(const QoSInitialization& initialization =
                                 QoSInitialization::from_rmw(rmw_qos_profile_system_default))
      : QoS(initialization, rmw_qos_profile_system_default) {}
};

class BestAvailableQoS : public QoS {
 public:
  explicit BestAvailableQoS(const QoSInitialization& initialization =
                                QoSInitialization::from_rmw(rmw_qos_profile_best_available))
      : QoS(initialization, rmw_qos_profile_best_available) {}
};

}  // namespace rclcpp
