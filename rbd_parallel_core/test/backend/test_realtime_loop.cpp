// SPDX-License-Identifier: Apache-2.0
//
// The loop of ./dev bench --realtime: what it must count, and that it finds nothing in our calls.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "plain_memory.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "realtime/inputs.hpp"
#include "realtime/loop.hpp"
#include "realtime/thread_setup.hpp"
#include "rehoused_backend.hpp"

namespace rbd_parallel_core {
namespace {

using rbd_bench::Counts;
using rbd_bench::Histogram;
using rbd_bench::Loop;
using rbd_bench::Usage;

constexpr std::uint64_t cycles = 200;
constexpr std::int64_t period_ns = 200'000;

std::shared_ptr<const Model> arm() {
  return std::make_shared<const Model>(load_urdf(RBD_ROBOTS_DIR "/arm7.urdf"));
}

/// Where memory cannot be locked, the pages that were used a moment ago are still there.
void prepare() {
  rbd_bench::touch_stack();
  static_cast<void>(rbd_bench::lock_memory());
}

void run(Backend& backend, const rbd_bench::States& states, void (*loop_over)(Loop&),
         void (*look)(const Loop&)) {
  Loop loop(backend, states);
  backend.configure(arm());
  prepare();
  loop.run_first_calls();
  loop_over(loop);
  munlockall();
  look(loop);
}

void run_periodically(Loop& loop) { loop.run_periodically(cycles, period_ns); }
void run_back_to_back(Loop& loop) { loop.run_back_to_back(cycles); }

void expect_calls_undisturbed(const Loop& loop) {
  const Counts& counts = loop.counts();
  EXPECT_EQ(counts.inside.allocations, 0);
  EXPECT_EQ(counts.inside.minor_faults, 0);
  EXPECT_EQ(counts.inside.major_faults, 0);
  EXPECT_EQ(counts.inside.voluntary_switches, 0);
  EXPECT_GT(counts.outside.voluntary_switches, 0) << "the sleeps, told apart";
  EXPECT_EQ(counts.refused, 0u);
  for (const Histogram& histogram : counts.calls) EXPECT_EQ(histogram.count(), cycles);
}

TEST(RealtimeLoop, NothingDisturbsACall) {
  for (const std::string& name : backend_names()) {
    for (const std::string& kind : rbd_bench::input_kinds()) {
      SCOPED_TRACE(name + ", inputs " + kind);
      const rbd_bench::States states = rbd_bench::states_of_kind(kind, 16, 7);
      run(*make_backend(name), states, run_periodically, expect_calls_undisturbed);
      run(*make_backend(name), states, run_back_to_back, expect_calls_undisturbed);
    }
  }
}

// ---- positive controls
// ----------------------------------------------------------------------------------------------

using Honest = RehousedBackend<double, PlainMemory>;

/// Does `offend` in one operation, and all else right.
class Offender : public Honest {
 public:
  explicit Offender(void (*offend)()) : Honest("reference"), offend_(offend) {}

 protected:
  Result do_compute(const Call& call) noexcept override {
    if (call.operation() == Operation::bias_forces) offend_();
    return Honest::do_compute(call);
  }

 private:
  void (*offend_)();
};

/// What the loop finds inside the calls of a backend that does this.
Usage found(void (*offend)()) {
  static Usage inside;  // `look` has no other way out
  Offender offender(offend);
  const rbd_bench::States states = rbd_bench::states_of_kind("ordinary", 16, 7);
  run(offender, states, run_periodically, [](const Loop& loop) { inside = loop.counts().inside; });
  return inside;
}

TEST(RealtimeLoop, FindsAnAllocation) {
  static void* volatile sink;
  const Usage usage = found([] {
    sink = std::malloc(64);
    std::free(sink);
  });
  EXPECT_EQ(usage.allocations, static_cast<std::int64_t>(2 * cycles));
  EXPECT_EQ(usage.voluntary_switches, 0);
}

TEST(RealtimeLoop, FindsAMissingPage) {
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  static std::size_t page_size;
  static char* page;
  page_size = size;
  page = static_cast<char*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(page, MAP_FAILED);
  const Usage usage = found([] {
    munlock(page, page_size);
    madvise(page, page_size, MADV_DONTNEED);
    *static_cast<volatile char*>(page) = 1;
  });
  EXPECT_GE(usage.minor_faults, static_cast<std::int64_t>(cycles));
  munmap(page, size);
}

TEST(RealtimeLoop, FindsAWait) {
  const Usage usage = found([] { usleep(1); });
  EXPECT_GT(usage.voluntary_switches, 0);  // a sleep that is over before it begins is no switch
}

TEST(RealtimeLoop, CountsRefusals) {
  class Refuses : public Honest {
   public:
    Refuses() : Honest("reference") {}

   protected:
    Result do_compute(const Call& call) noexcept override {
      if (call.operation() != Operation::mass_matrix) return Honest::do_compute(call);
      return {Code::failed, Argument::none, 0, 0};
    }
  } refuses;
  const rbd_bench::States states = rbd_bench::states_of_kind("ordinary", 16, 7);
  run(refuses, states, run_back_to_back,
      [](const Loop& loop) { EXPECT_EQ(loop.counts().refused, cycles + 1); });
}

// ---- the histogram
// --------------------------------------------------------------------------------------------------

TEST(RealtimeHistogram, QuantilesAreThoseOfTheSortedNumbers) {
  std::mt19937_64 generator(7);
  std::lognormal_distribution<double> distribution(8, 2);
  auto histogram = std::make_unique<Histogram>();
  std::vector<std::int64_t> sorted(100'000);
  for (std::int64_t& x : sorted) {
    x = static_cast<std::int64_t>(distribution(generator));
    histogram->add(x);
  }
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(histogram->count(), sorted.size());
  EXPECT_EQ(histogram->minimum(), sorted.front());
  EXPECT_EQ(histogram->maximum(), sorted.back());
  EXPECT_EQ(histogram->quantile(1), sorted.back());
  for (const double share : {0.5, 0.99, 0.999, 0.9999}) {
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
    const auto exact = static_cast<double>(sorted[rank - 1]);
    const auto quantile = static_cast<double>(histogram->quantile(share));
    EXPECT_GE(quantile, exact) << share;
    EXPECT_LE(quantile, exact * (1 + 1.0 / Histogram::kSteps) + 1) << share;
  }
}

TEST(RealtimeHistogram, EveryDurationIsInItsBucket) {
  for (std::int64_t duration = 0; duration < std::int64_t{1} << 45;
       duration = 3 * duration / 2 + 1) {
    auto histogram = std::make_unique<Histogram>();
    histogram->add(duration);
    std::size_t bucket = 0;
    while (histogram->count_in(bucket) == 0) ++bucket;
    EXPECT_LE(Histogram::lower_end(bucket), duration);
    if (bucket + 1 < Histogram::kBuckets) {
      EXPECT_GT(Histogram::lower_end(bucket + 1), duration);
    }
    EXPECT_EQ(histogram->quantile(0.5), duration);
  }
}

}  // namespace
}  // namespace rbd_parallel_core
