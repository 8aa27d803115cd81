// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/testing/backend_conformance.hpp"

#include "auto/auto_backend.hpp"
#include "forced_costs.hpp"
#include "plain_memory.hpp"
#include "rehoused_backend.hpp"

namespace rbd_parallel_core::conformance {

RBD_BACKEND_CONFORMANCE(Cpu, {.name = "cpu", .make = [] { return make_backend("cpu"); }});

RBD_BACKEND_CONFORMANCE(Compiled,
                        {.name = "compiled", .make = [] { return make_backend("compiled"); }});

RBD_BACKEND_CONFORMANCE(Reference,
                        {.name = "reference", .make = [] { return make_backend("reference"); }});

RBD_BACKEND_CONFORMANCE(Tree, {.name = "tree", .make = [] { return make_backend("tree"); }});

/// The robots of the suite are small: in blocks of a few bodies they are cut all the same.
std::unique_ptr<Backend> make_tree(const TreeOptions& options) {
  return std::make_unique<RehousedBackend<double, PlainMemory>>("tree", options);
}

RBD_BACKEND_CONFORMANCE(TreeBlocksOfOne, {.name = "tree in blocks of one",
                                          .make = [] { return make_tree({.block = 1}); }});

RBD_BACKEND_CONFORMANCE(TreeBlocksOfThree, {.name = "tree in blocks of three",
                                            .make = [] { return make_tree({.block = 3}); }});

RBD_BACKEND_CONFORMANCE(TreeScans, {.name = "tree by scans",
                                    .make = [] { return make_tree({.family = TreeFamily::scans}); },
                                    .tolerance = 1e-11});

RBD_BACKEND_CONFORMANCE(TreeFloat,
                        {.name = "tree of float in blocks of three",
                         .make =
                             [] {
                               return std::make_unique<RehousedBackend<float, PlainMemory>>(
                                   "tree", TreeOptions{.block = 3});
                             },
                         .tolerance = 2e-5});

RBD_BACKEND_CONFORMANCE(Auto, {.name = "auto", .make = [] { return make_backend("auto"); }});

/// auto with costs of one backend alone, and with blocks of three bodies: so small robots are cut.
template <class Real>
std::unique_ptr<Backend> make_auto(Candidate candidate) {
  return std::make_unique<RehousedBackend<Real, PlainMemory>>(
      std::make_unique<AutoBackend<Real>>(only(candidate)), TreeOptions{.block = 3});
}

RBD_BACKEND_CONFORMANCE(AutoByTree, {.name = "auto that chooses tree",
                                     .make = [] { return make_auto<double>(Candidate::tree); },
                                     .lanes_as_rows = false});

RBD_BACKEND_CONFORMANCE(AutoByCpu, {.name = "auto that chooses cpu",
                                    .make = [] { return make_auto<double>(Candidate::cpu); }});

RBD_BACKEND_CONFORMANCE(AutoByTreeFloat, {.name = "auto of float that chooses tree",
                                          .make = [] { return make_auto<float>(Candidate::tree); },
                                          .tolerance = 2e-5,
                                          .lanes_as_rows = false});

/// The backends of float, by way of copies.
std::unique_ptr<Backend> make_float_backend(const std::string& name) {
  return std::make_unique<RehousedBackend<float, PlainMemory>>(name);
}

RBD_BACKEND_CONFORMANCE(CpuFloat, {.name = "cpu of float",
                                   .make = [] { return make_float_backend("cpu"); },
                                   .tolerance = 2e-5});

RBD_BACKEND_CONFORMANCE(CompiledFloat, {.name = "compiled of float",
                                        .make = [] { return make_float_backend("compiled"); },
                                        .tolerance = 2e-5});

RBD_BACKEND_CONFORMANCE(ReferenceFloat, {.name = "reference of float",
                                         .make = [] { return make_float_backend("reference"); },
                                         .tolerance = 2e-5});

TEST(MakeBackend, NamesWhatItKnows) {
  for (const std::string& name : backend_names()) EXPECT_EQ(make_backend(name)->name(), name);
  EXPECT_EQ(make_backend()->name(), "cpu");
  EXPECT_EQ(make_backend<float>("auto")->name(), "cpu");
  try {
    const auto backend = make_backend("referenz");
    FAIL() << "made a backend of an unknown name";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "backend 'referenz' is not known; expected one of auto, cuda, compiled, cpu, "
                 "reference, tree");
  }
}

}  // namespace rbd_parallel_core::conformance
