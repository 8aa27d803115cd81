// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <pluginlib/class_list_macros.hpp>
#include <stdexcept>
#include <string>
#include <thread>

#include "rbd_parallel_core/backend.hpp"

namespace third_party {

using rbd_parallel_core::Backend;
using rbd_parallel_core::BackendOptions;
using rbd_parallel_core::Capabilities;
using rbd_parallel_core::Model;
using rbd_parallel_core::Operation;
using rbd_parallel_core::Result;
using rbd_parallel_core::StateStatus;

/// Easy to recognise: every effort is 42.
class ConstantBackend : public Backend {
 public:
  std::string name() const override { return "constant"; }

 protected:
  void do_configure(const Model&, const BackendOptions&) override {}
  Capabilities do_capabilities() const noexcept override {
    return {.operations = {Operation::inverse_dynamics}};
  }
  Result do_compute(const Call& call) noexcept override {
    const auto& args = call.arguments<Operation::inverse_dynamics>();
    std::fill(args.tau.begin(), args.tau.end(), 42.0);
    std::fill(args.status.begin(), args.status.end(), StateStatus{});
    return {};
  }
};

class RefusingBackend : public ConstantBackend {
 protected:
  void do_configure(const Model&, const BackendOptions&) override {
    throw std::runtime_error("there is no such device");
  }
};

class ThrowingBackend : public ConstantBackend {
 public:
  ThrowingBackend() { throw std::runtime_error("the licence has run out"); }
};

class IntThrowingBackend : public ConstantBackend {
 protected:
  void do_configure(const Model&, const BackendOptions&) override { throw 42; }
};

class FailingBackend : public ConstantBackend {
 protected:
  Result do_compute(const Call&) noexcept override {
    return {rbd_parallel_core::Code::failed, rbd_parallel_core::Argument::none, 0, 0};
  }
};

/// Holds batches up until the file that RBD_TEST_GATE names is there. "<file>.reached" tells that
/// one has come so far.
class WaitingBackend : public ConstantBackend {
 protected:
  Result do_compute(const Call& call) noexcept override {
    if (const char* gate = std::getenv("RBD_TEST_GATE"); gate != nullptr && call.batch() > 1) {
      std::ofstream(std::string(gate) + ".reached").put('\n');
      while (!std::filesystem::exists(gate)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    return ConstantBackend::do_compute(call);
  }
};

}  // namespace third_party

PLUGINLIB_EXPORT_CLASS(third_party::ConstantBackend, rbd_parallel_core::Backend)
PLUGINLIB_EXPORT_CLASS(third_party::RefusingBackend, rbd_parallel_core::Backend)
PLUGINLIB_EXPORT_CLASS(third_party::ThrowingBackend, rbd_parallel_core::Backend)
PLUGINLIB_EXPORT_CLASS(third_party::IntThrowingBackend, rbd_parallel_core::Backend)
PLUGINLIB_EXPORT_CLASS(third_party::FailingBackend, rbd_parallel_core::Backend)
PLUGINLIB_EXPORT_CLASS(third_party::WaitingBackend, rbd_parallel_core::Backend)
