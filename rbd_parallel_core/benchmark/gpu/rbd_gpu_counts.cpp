// SPDX-License-Identifier: Apache-2.0
// rbd_gpu_counts URDF fixed|floating: flops and bytes of one state, by the kernels' own text run
// with numbers and arrays that count, as one line of JSON. The numbers that a thread keeps count as
// traffic whenever it loads or stores them: nothing is known about caches.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "common/program.hpp"
#include "counting_scalar.hpp"
#include "rbd_parallel_core/algorithm/aba.hpp"
#include "rbd_parallel_core/algorithm/crba.hpp"
#include "rbd_parallel_core/algorithm/finite.hpp"
#include "rbd_parallel_core/algorithm/rnea.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"

namespace rbd_parallel_core {
namespace {

using S = Counted<Folding::none>;

/// Numbers that were loaded and stored.
std::int64_t moved = 0;

struct CountingRow {
  const double* data;
  S operator()(std::int32_t k) const {
    ++moved;
    return S(data[k]);
  }
};

struct CountingOut {
  std::vector<S>* data;
  S operator()(std::int32_t k) const { return load(k); }
  S load(std::int32_t k) const {
    ++moved;
    return (*data)[static_cast<std::size_t>(k)];
  }
  void store(std::int32_t k, const S& x) const {
    ++moved;
    (*data)[static_cast<std::size_t>(k)] = x;
  }
};

struct CountingMatrix {
  static constexpr bool zeros_persist = false;
  CountingOut numbers;
  std::int32_t n;
  S load(std::int32_t i, std::int32_t j) const { return numbers.load(i * n + j); }
  void store(std::int32_t i, std::int32_t j, const S& x) const {
    numbers.store(i * n + j, x);
    numbers.store(j * n + i, x);
  }
  void clear() const {
    for (std::int32_t k = 0; k < n * n; ++k) numbers.store(k, S(0.0));
  }
};

template <class T>
struct CountingArray {
  static constexpr std::int64_t numbers = sizeof(T) / sizeof(S);
  std::vector<T>* data;
  T load(std::int32_t i) const {
    moved += numbers;
    return (*data)[static_cast<std::size_t>(i)];
  }
  void store(std::int32_t i, const T& value) const {
    moved += numbers;
    (*data)[static_cast<std::size_t>(i)] = value;
  }
};

/// Arrays for a workspace, which live as long as this.
class Room {
 public:
  explicit Room(const Model& model)
      : size_(static_cast<std::size_t>(model.view().body_count + model.view().column_count)) {}
  template <class T>
  void take(CountingArray<T>& array) {
    auto* const numbers = new std::vector<T>(size_);
    held_.emplace_back(numbers, [](void* held) { delete static_cast<std::vector<T>*>(held); });
    array.data = numbers;
  }
  void take(JointTurns<S, CountingArray>& turns) {
    take(turns.angle);
    take(turns.sine);
    take(turns.cosine);
  }

 private:
  std::size_t size_;
  std::vector<std::shared_ptr<void>> held_;
};

struct Count {
  std::int64_t flops, numbers;
};

/// A sine with its cosine counts as the polynomials of reduced_sincos.
std::int64_t flops_of_sincos() {
  const Operations done = count_of([] {
    S sine, cosine;
    reduced_sincos(S(1.0), sine, cosine);
  });
  return done.mul + done.add;
}

template <class Run>
Count counted(const Run& run) {
  moved = 0;
  const Operations done = count_of(run);
  return {done.mul + done.add + done.div + done.sqrt + flops_of_sincos() * done.sincos, moved};
}

/// What a kernel does for the status of a state, as in state_bodies.hpp: inputs and results are
/// read once more.
template <class... Arrays>
void look_at(const ModelView<double>& view, const CountingRow& q, std::int32_t n,
             const Arrays&... arrays) {
  S taint = taint_if_no_rotation(view, q, taint_if_not_finite(q, view.nq, S(0.0)));
  ((taint = taint_if_not_finite(arrays, n, taint)), ...);
}

void print(const Model& model) {
  const ModelView<double>& view = model.view();
  const std::vector<double> q_numbers = model.neutral(),
                            rates(static_cast<std::size_t>(view.nv), 0.5);
  const CountingRow q{q_numbers.data()}, v{rates.data()};
  std::vector<S> vector(static_cast<std::size_t>(view.nv)),
      matrix(static_cast<std::size_t>(view.nv * view.nv));
  const CountingOut out{&vector};
  const Vec3<S> gravity = broadcast<S>(view.gravity);
  Room room(model);

  RneaWorkspace<S, CountingArray> for_rnea;
  room.take(for_rnea.turns);
  room.take(for_rnea.w);
  room.take(for_rnea.a);
  room.take(for_rnea.K);
  room.take(for_rnea.f);
  const Count rnea_count = counted([&] {
    rnea(view, for_rnea, q, v, v, NoForces{}, gravity, false, out);
    look_at(view, q, view.nv, v, v, out);
  });

  CrbaWorkspace<S, CountingArray> for_crba;
  room.take(for_crba.turns);
  room.take(for_crba.E);
  room.take(for_crba.p);
  room.take(for_crba.to_head);
  room.take(for_crba.Ic);
  room.take(for_crba.axis);
  const Count crba_count = counted([&] {
    crba(view, for_crba, q, CountingMatrix{{&matrix}, view.nv});
    look_at(view, q, view.nv * view.nv, CountingOut{&matrix});
  });

  AbaWorkspace<S, CountingArray> for_aba;
  room.take(for_aba.turns);
  room.take(for_aba.w);
  room.take(for_aba.c);
  room.take(for_aba.IA);
  room.take(for_aba.pA);
  room.take(for_aba.eliminated);
  const Count aba_count = counted([&] {
    aba(view, for_aba, q, v, v, NoForces{}, gravity, false, out);
    look_at(view, q, view.nv, v, v, out);
  });

  // Rows are read and written once by the caller's side, and once each by the transpositions.
  const std::int64_t nq = view.nq, nv = view.nv;
  const auto line = [](const char* name, const Count& count, std::int64_t rows, const char* end) {
    std::printf("\"%s\": {\"flops\": %lld, \"numbers\": %lld, \"rows\": %lld}%s", name,
                static_cast<long long>(count.flops), static_cast<long long>(count.numbers),
                static_cast<long long>(rows), end);
  };
  std::printf("{\"bodies\": %d, \"nv\": %d, ", view.body_count, view.nv);
  line("RNEA", rnea_count, nq + 3 * nv, ", ");
  line("CRBA", crba_count, nq + nv * nv, ", ");
  line("ABA", aba_count, nq + 3 * nv, "}\n");
}

}  // namespace
}  // namespace rbd_parallel_core

int main(int argc, char** argv) {
  return rbd_bench::run_program("rbd_gpu_counts", [&] {
    if (argc != 3) throw std::runtime_error("usage: rbd_gpu_counts URDF fixed|floating");
    rbd_parallel_core::ModelOptions options;
    options.mimic = rbd_parallel_core::MimicPolicy::independent;
    if (std::string(argv[2]) == "floating") options.base = rbd_parallel_core::Base::floating;
    rbd_parallel_core::print(rbd_parallel_core::load_urdf_file(argv[1], options));
  });
}
