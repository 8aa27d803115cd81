// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/report.hpp"

#include <gtest/gtest.h>

namespace rbd_parallel_ros {
namespace {

using Status = diagnostic_msgs::msg::DiagnosticStatus;

std::string value_of(const Status& status, const std::string& key) {
  for (const auto& value : status.values) {
    if (value.key == key) return value.value;
  }
  return "not there";
}

/// A node with a stream that is doing well.
struct ReportRig {
  ReportRig() {
    configuration.lifecycle_state = "active";
    configuration.active = true;
    configuration.robot = "arm";
    configuration.joints = 2;
    configuration.effort_mode = "gravity";
    configuration.stream_joints = {"shoulder", "elbow"};
    configuration.stream = stream;
    configuration.latency_warning = 1e-3;
    configuration.latency_error = 5e-3;
  }

  void receive(std::uint64_t good, Refusal refusal = Refusal::none, std::uint64_t bad = 0) {
    stream->received += good + bad;
    stream->computed += good;
    for (std::uint64_t i = 0; i < bad; ++i) stream->states.count(refusal);
    if (bad == 0) stream->states.count(Refusal::none);
  }

  Status stream_status(double seconds = 0.5) {
    return report.next(configuration, services, seconds)[2];
  }

  std::shared_ptr<StreamStatistics> stream = std::make_shared<StreamStatistics>();
  Configuration configuration;
  ServiceStatistics services;
  Report report{"/robot/dynamics"};
};

TEST(Report, NamesStartWithTheNode) {
  ReportRig rig;
  const std::vector<Status> all = rig.report.next(rig.configuration, rig.services, 1);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "/robot/dynamics: model");
  EXPECT_EQ(all[1].name, "/robot/dynamics: services");
  EXPECT_EQ(all[2].name, "/robot/dynamics: effort stream");
}

TEST(Report, AStreamThatDoesWellIsOk) {
  ReportRig rig;
  rig.receive(500);
  const Status status = rig.stream_status();
  EXPECT_EQ(status.level, Status::OK);
  EXPECT_EQ(status.message, "gravity");
  EXPECT_EQ(value_of(status, "joint_states rate (Hz)"), "1000");
  rig.receive(100);
  EXPECT_EQ(value_of(rig.stream_status(1), "joint_states rate (Hz)"), "100");
}

TEST(Report, RefusalsAreToldWithTheirReasonWhileTheyLast) {
  ReportRig rig;
  rig.stream->last_joint = 1;
  rig.receive(10, Refusal::not_finite, 3);
  const Status some = rig.stream_status();
  EXPECT_EQ(some.level, Status::WARN);
  EXPECT_EQ(
      some.message,
      "3 of 13 joint states refused: not_finite (joint 'elbow'): a position or velocity is NaN "
      "or infinite");
  rig.receive(0, Refusal::stamp_old, 4);
  EXPECT_EQ(rig.stream_status().level, Status::ERROR) << "none could be used";
  rig.receive(10);
  const Status over = rig.stream_status();
  EXPECT_EQ(over.level, Status::OK);
  EXPECT_EQ(value_of(over, "refused: not_finite"), "3");
  EXPECT_EQ(value_of(over, "refused: stamp_old"), "4");
}

TEST(Report, AStaleStreamIsAnErrorAndSaysWhy) {
  ReportRig rig;
  rig.stream->stale = true;
  EXPECT_EQ(rig.stream_status().level, Status::ERROR);
  EXPECT_EQ(rig.stream_status().message, "no joint state that can be used: none has come");
  rig.receive(0, Refusal::missing_velocity, 1);
  EXPECT_EQ(rig.stream_status().message.find("no joint state that can be used: missing_velocity"),
            0u);
  EXPECT_EQ(rig.stream_status().message.find("no joint state that can be used: none comes any "
                                             "more; the last one was refused by missing_velocity"),
            0u);
  rig.configuration.active = false;
  EXPECT_EQ(rig.stream_status().level, Status::OK) << "a node that is not active computes nothing";
}

TEST(Report, AReasonThatIsOverIsNotTheReasonOfASilence) {
  ReportRig rig;
  rig.receive(0, Refusal::not_finite, 3);
  rig.receive(10);
  rig.stream->stale = true;
  EXPECT_EQ(rig.stream_status().message, "no joint state that can be used: none comes any more");
  rig.stream->states.refused[static_cast<std::size_t>(Refusal::other_joints)] = 5;
  EXPECT_EQ(rig.stream_status().message,
            "no joint state that can be used: none comes any more that names its joints");
}

TEST(Report, BadReferencesAndBaseStatesHaveReasonsToo) {
  ReportRig rig;
  rig.receive(10);
  for (const Refusal refusal : {Refusal::unknown_joint, Refusal::none}) {
    rig.stream->references.count(refusal);
  }
  const Status status = rig.stream_status();
  EXPECT_EQ(status.level, Status::WARN);
  EXPECT_NE(status.message.find("references refused: unknown_joint"), std::string::npos)
      << "told also where a good one came after it";
  for (const Refusal refusal : {Refusal::not_finite, Refusal::none}) {
    rig.stream->bases.count(refusal);
  }
  EXPECT_NE(rig.stream_status().message.find("base states refused: not_finite"), std::string::npos);
  rig.receive(0, Refusal::base_old, 1);
  EXPECT_EQ(rig.stream_status().message.find("the last one was refused"), std::string::npos)
      << "it was good";
  rig.stream->bases.count(Refusal::not_finite);
  rig.receive(0, Refusal::base_old, 1);
  EXPECT_NE(rig.stream_status().message.find("base_old"), std::string::npos);
  rig.receive(0, Refusal::base_old, 1);
  EXPECT_NE(rig.stream_status().message.find("the last one was refused by not_finite"),
            std::string::npos);
}

TEST(Report, WarningsAreSaidTogether) {
  ReportRig rig;
  rig.receive(10);
  rig.stream->without_reference = 10;
  rig.stream->beyond_limits = 2;
  rig.stream->beyond_limit_joint = 0;
  const Status status = rig.stream_status();
  EXPECT_EQ(status.level, Status::WARN);
  EXPECT_EQ(status.message,
            "no reference that holds: accelerations are taken as zero; efforts beyond the limit "
            "(joint 'shoulder')");
  EXPECT_EQ(rig.stream_status().level, Status::OK) << "nothing of it since";
}

TEST(Report, AGraverFindingHidesNoOther) {
  ReportRig rig;
  rig.receive(10, Refusal::not_finite, 1);
  for (int i = 0; i < 100; ++i) rig.stream->latency.count(20'000'000);
  const Status status = rig.stream_status();
  EXPECT_EQ(status.level, Status::ERROR);
  EXPECT_EQ(status.message.find("latency p99 is above latency_error; 1 of 11 joint states refused"),
            0u)
      << status.message;
}

TEST(Report, LatencyHasTwoThresholds) {
  ReportRig rig;
  for (int i = 0; i < 100; ++i) rig.stream->latency.count(100'000);
  EXPECT_EQ(rig.stream_status().level, Status::OK);
  for (int i = 0; i < 100; ++i) rig.stream->latency.count(2'000'000);
  EXPECT_EQ(rig.stream_status().level, Status::WARN);
  for (int i = 0; i < 100; ++i) rig.stream->latency.count(20'000'000);
  EXPECT_EQ(rig.stream_status().level, Status::ERROR);
  for (int i = 0; i < 100; ++i) rig.stream->latency.count(100'000);
  EXPECT_EQ(rig.stream_status().level, Status::OK) << "judged from report to report";
}

TEST(Report, WithoutAStreamItIsOff) {
  ReportRig rig;
  rig.configuration.stream = nullptr;
  EXPECT_EQ(rig.stream_status().message, "off");
  EXPECT_EQ(rig.stream_status().level, Status::OK);
}

TEST(Report, AnotherStreamCountsFromZero) {
  ReportRig rig;
  rig.receive(500);
  rig.stream_status();
  const auto another = std::make_shared<StreamStatistics>();
  another->received = another->computed = 3;
  rig.configuration.stream = another;
  EXPECT_EQ(value_of(rig.stream_status(1), "joint_states rate (Hz)"), "3");
}

TEST(Report, CountsStartAgainAfterAConfigureEvenAtTheSameAddress) {
  ReportRig rig;
  rig.receive(500);
  rig.stream_status();
  rig.configuration.stream = nullptr;
  rig.stream_status();
  rig.stream->received = rig.stream->computed = 3;  // as a new one that the allocator put there
  rig.configuration.stream = rig.stream;
  EXPECT_EQ(value_of(rig.stream_status(1), "joint_states rate (Hz)"), "3");
}

TEST(Report, ServicesAreCounted) {
  ReportRig rig;
  rig.services.count(10, "", 1000);
  rig.services.count(0, "the batch is empty", 1000);
  rig.services.count(50, "", 1000);
  const Status status = rig.report.next(rig.configuration, rig.services, 1)[1];
  EXPECT_EQ(value_of(status, "requests"), "3");
  EXPECT_EQ(value_of(status, "refused"), "1");
  EXPECT_EQ(value_of(status, "batch size mean"), "20");
  EXPECT_EQ(value_of(status, "batch size max"), "50");
  EXPECT_EQ(status.level, Status::WARN);
  EXPECT_EQ(status.message,
            "1 requests refused, 0 with failed states; the last: the batch is empty");
  rig.services.count(5, "1 of 5 states failed", 1000);
  const Status failed = rig.report.next(rig.configuration, rig.services, 1)[1];
  EXPECT_EQ(failed.message,
            "0 requests refused, 1 with failed states; the last: 1 of 5 states failed");
  EXPECT_EQ(value_of(failed, "with failed states"), "1");
  const Status over = rig.report.next(rig.configuration, rig.services, 1)[1];
  EXPECT_EQ(over.level, Status::OK);
  EXPECT_EQ(over.message, "4 requests");
}

TEST(Report, ADescriptionThatIsNotInUseIsAWarning) {
  ReportRig rig;
  EXPECT_EQ(rig.report.next(rig.configuration, rig.services, 1)[0].level, Status::OK);
  rig.configuration.other_description = true;
  const Status status = rig.report.next(rig.configuration, rig.services, 1)[0];
  EXPECT_EQ(status.level, Status::WARN);
  EXPECT_EQ(status.message.find("another robot_description has come"), 0u);
}

TEST(Report, ParametersThatWaitForConfigureAreAWarning) {
  ReportRig rig;
  rig.configuration.not_applied = {"max_batch", "gravity"};
  const Status status = rig.report.next(rig.configuration, rig.services, 1)[0];
  EXPECT_EQ(status.level, Status::WARN);
  EXPECT_NE(status.message.find("not applied yet: 'max_batch', 'gravity'"), std::string::npos);
}

TEST(Report, AFailedConfigureIsAnError) {
  ReportRig rig;
  rig.configuration = {};
  EXPECT_EQ(rig.report.next(rig.configuration, rig.services, 1)[0].level, Status::WARN);
  rig.configuration.fault = "no URDF";
  const Status status = rig.report.next(rig.configuration, rig.services, 1)[0];
  EXPECT_EQ(status.level, Status::ERROR);
  EXPECT_EQ(status.message, "configure failed: no URDF");
}

}  // namespace
}  // namespace rbd_parallel_ros
