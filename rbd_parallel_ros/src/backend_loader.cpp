// SPDX-License-Identifier: Apache-2.0
#include "backend_loader.hpp"

#include <stdexcept>
#include <utility>

#include "text.hpp"

namespace rbd_parallel_ros {

using rbd_parallel_core::Backend;

BackendLoader::Loader& BackendLoader::loader() {
  if (loader_ == nullptr) {
    loader_ = std::make_shared<Loader>("rbd_parallel_core", "rbd_parallel_core::Backend");
  }
  return *loader_;
}

std::vector<std::string> BackendLoader::available() {
  loader().refreshDeclaredClasses();
  return loader().getDeclaredClasses();
}

std::string BackendLoader::available_text() noexcept try {
  return listed(available());
} catch (...) {
  return "unknown, the list cannot be read";
}

std::shared_ptr<Backend> BackendLoader::create(const std::string& name) {
  loader().refreshDeclaredClasses();
  if (!loader().isClassAvailable(name)) throw std::runtime_error("there is no plugin of this name");
  auto instance = loader().createUniqueInstance(name);
  const auto destroy = instance.get_deleter();
  return {instance.release(),
          [keep_loaded = loader_, destroy](Backend* backend) { destroy(backend); }};
}

std::shared_ptr<Backend> BackendLoader::load(const std::string& name) {
  std::string why = "its constructor throws something that is no std::exception";
  try {
    return create(name);
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
  }
  throw std::runtime_error("backend " + in_quotes(name) + " cannot be loaded: " + why +
                           "; available: " + available_text());
}

}  // namespace rbd_parallel_ros
