// SPDX-License-Identifier: Apache-2.0
#include <pluginlib/class_list_macros.hpp>

#include "cuda_plugin.hpp"
#include "rbd_parallel_core/delegating_backend.hpp"

/// The backends of the core as plugins. plugins.xml has their names.
namespace rbd_parallel_ros {

class CpuPlugin final : public DelegatingBackend {
 public:
  CpuPlugin() : DelegatingBackend(rbd_parallel_core::make_backend("cpu")) {}
};

/// Or "cpu" where no code can be made: then explain() says why, and the node goes on.
class CompiledPlugin final : public DelegatingBackend {
 public:
  CompiledPlugin() : DelegatingBackend(rbd_parallel_core::make_backend("compiled")) {}
};

class ReferencePlugin final : public DelegatingBackend {
 public:
  ReferencePlugin() : DelegatingBackend(rbd_parallel_core::make_backend("reference")) {}
};

class TreePlugin final : public DelegatingBackend {
 public:
  TreePlugin() : DelegatingBackend(rbd_parallel_core::make_backend("tree")) {}
};

/// Chooses for every call.
class AutoPlugin final : public DelegatingBackend {
 public:
  AutoPlugin() : DelegatingBackend(rbd_parallel_core::make_backend("auto")) {}
};

}  // namespace rbd_parallel_ros

PLUGINLIB_EXPORT_CLASS(rbd_parallel_ros::CudaPlugin, rbd_parallel_core::Backend)
PLUGINLIB_EXPORT_CLASS(rbd_parallel_ros::CompiledPlugin, rbd_parallel_core::Backend)
PLUGINLIB_EXPORT_CLASS(rbd_parallel_ros::CpuPlugin, rbd_parallel_core::Backend)
PLUGINLIB_EXPORT_CLASS(rbd_parallel_ros::ReferencePlugin, rbd_parallel_core::Backend)
PLUGINLIB_EXPORT_CLASS(rbd_parallel_ros::TreePlugin, rbd_parallel_core::Backend)
PLUGINLIB_EXPORT_CLASS(rbd_parallel_ros::AutoPlugin, rbd_parallel_core::Backend)
