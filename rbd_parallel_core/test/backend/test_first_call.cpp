// SPDX-License-Identifier: Apache-2.0
//
// The first call after configure has nothing to make up for: all pages of the workspace are there,
// and no function is looked up by the dynamic linker.

#include <gtest/gtest.h>
#include <link.h>
#include <malloc.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plain_memory.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"
#include "realtime/usage.hpp"
#include "rehoused_backend.hpp"

namespace rbd_parallel_core::conformance {
namespace {

constexpr std::size_t batch_size = 40;  // several groups of lanes

/// So many bodies that the workspace is some hundred pages.
std::shared_ptr<const Model> large_robot() {
  return std::make_shared<const Model>(serial_chain(80));
}

std::int64_t faults_during(const Call& call, Backend& backend, const Batch& batch) {
  Outputs out = room_for(call, backend.model(), batch);
  const rbd_bench::Usage before = rbd_bench::usage_so_far();
  out.result = call.run(backend, batch, out);
  const rbd_bench::Usage usage = rbd_bench::usage_so_far() - before;
  EXPECT_TRUE(out.result.ok()) << call.name;
  return usage.minor_faults + usage.major_faults;
}

/// Every backend that there is, in double and in float.
std::vector<std::function<std::unique_ptr<Backend>()>> makers() {
  std::vector<std::function<std::unique_ptr<Backend>()>> result;
  for (const std::string& name : backend_names()) {
    result.emplace_back([name] { return make_backend(name); });
    result.emplace_back(
        [name] { return std::make_unique<RehousedBackend<float, PlainMemory>>(name); });
  }
  return result;
}

/// Blocks of a page and more come from the kernel, untouched, not from what was freed before.
void take_fresh_pages() { ASSERT_EQ(mallopt(M_MMAP_THRESHOLD, 4096), 1); }

TEST(FirstCall, FindsAllPagesOfTheWorkspace) {
  take_fresh_pages();
  const auto model = large_robot();
  const Batch batch = random_batch(*model, batch_size, 3);
  for (const auto& make : makers()) {
    for (const Call& call : every_call()) {
      const auto first = make(), second = make();
      first->configure(model, {.max_batch = batch_size});
      second->configure(model, {.max_batch = batch_size});
      static_cast<void>(faults_during(call, *first, batch));  // brings the pages of the code
      EXPECT_EQ(faults_during(call, *second, batch), 0) << call.name << " of " << second->name();
    }
  }
}

/// Takes memory in configure, but does not touch it.
class TakesUntouchedMemory : public Backend {
 public:
  std::string name() const override { return "takes untouched memory"; }

 protected:
  void do_configure(const Model&, const BackendOptions&) override {
    memory_ = std::make_unique_for_overwrite<char[]>(size);
  }
  Capabilities do_capabilities() const noexcept override { return {}; }
  Result do_compute(const Call&) noexcept override {
    std::memset(memory_.get(), 1, size);
    return {};
  }

 private:
  static constexpr std::size_t size = 1 << 22;
  std::unique_ptr<char[]> memory_;
};

TEST(FirstCall, AnUntouchedPageIsCaught) {
  take_fresh_pages();
  const auto model = large_robot();
  const Batch batch = random_batch(*model, batch_size, 3);
  TakesUntouchedMemory backend;
  backend.configure(model, {.max_batch = batch_size});
  for (const Call& call : every_call()) {
    if (call.operation == Operation::gravity_forces) {
      EXPECT_GT(faults_during(call, backend, batch), 0);
    }
  }
}

/// Whether a library was found in the process, and whether the loader looked up all functions that
/// it calls when it loaded it.
struct Binding {
  const char* library;
  bool found, now;
};

int look_at_library(dl_phdr_info* info, std::size_t, void* data) {
  auto& binding = *static_cast<Binding*>(data);
  if (std::strstr(info->dlpi_name, binding.library) == nullptr) return 0;
  binding.found = true;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    if (info->dlpi_phdr[k].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[k].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      binding.now |= entry->d_tag == DT_BIND_NOW ||
                     (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_BIND_NOW) != 0);
    }
  }
  return 1;
}

TEST(FirstCall, LooksUpNoFunction) {
  Binding binding{"librbd_parallel_core.so", false, false};
  dl_iterate_phdr(look_at_library, &binding);
  ASSERT_TRUE(binding.found);
  EXPECT_TRUE(binding.now) << "sine and cosine of large angles would be looked up in a call";
}

}  // namespace
}  // namespace rbd_parallel_core::conformance
