// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "model/lines.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

LinkInertial ball(double mass) {
  LinkInertial inertial;
  inertial.mass = mass;
  inertial.rotational = {0.1 * mass, 0, 0, 0.1 * mass, 0, 0.1 * mass};
  return inertial;
}

JointDescription joint(const std::string& name, const std::string& parent, const std::string& child,
                       JointKind kind = JointKind::revolute) {
  JointDescription result;
  result.name = name;
  result.kind = kind;
  result.parent = parent;
  result.child = child;
  result.axis = {0, 0, 1};
  return result;
}

/// base -- shoulder -- upper -- elbow -- lower
RobotDescription arm() {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {{"base", std::nullopt}, {"upper", ball(2)}, {"lower", ball(1)}};
  robot.joints = {joint("shoulder", "base", "upper"), joint("elbow", "upper", "lower")};
  robot.joints[1].origin.position = {1, 0, 0};
  return robot;
}

std::size_t link_index(const Model& model, const std::string& name) {
  return static_cast<std::size_t>(model.find_link(name).value());
}

// ---- faults
// ---------------------------------------------------------------------------------------------------------

/// A robot that is spoilt in one way, and the parts that the message must have.
struct Fault {
  const char* name;
  void (*spoil)(RobotDescription&, ModelOptions&);
  Lines parts;
  std::size_t count = 1;  ///< of faults
};

class BuildModelFault : public testing::TestWithParam<Fault> {};

TEST_P(BuildModelFault, IsReportedWithNameAndReason) {
  RobotDescription robot = arm();
  ModelOptions options;
  GetParam().spoil(robot, options);
  const Lines faults = faults_of([&] { build_model(robot, options); });
  EXPECT_EQ(faults.size(), GetParam().count) << joined(faults);
  for (const std::string& part : GetParam().parts)
    EXPECT_TRUE(any_has(faults, part)) << part << "\n" << joined(faults);
}

using R = RobotDescription;
using O = ModelOptions;
const Fault faults[] = {
    {"NoParent",
     [](R& r, O&) { r.joints[0].parent.clear(); },
     {"its parent is '', no link has that name"}},
    {"NoChild",
     [](R& r, O&) { r.joints[0].child.clear(); },
     {"its child is '', no link has that name"}},
    {"NoLinks", [](R& r, O&) { r.links.clear(), r.joints.clear(); }, {"robot: has no <link>"}},
    {"LinkWithoutName",
     [](R& r, O&) {
       r.links.push_back({"", std::nullopt});
       r.joints.push_back(joint("j", "base", ""));
     },
     {"link number 3 has no name"}},
    {"JointWithoutName", [](R& r, O&) { r.joints[1].name = ""; }, {"joint number 1 has no name"}},
    {"TwoLinksOfAName",
     [](R& r, O&) {
       r.links.push_back({"upper", std::nullopt});
     },
     {"link 'upper': the name is taken already", "has 2 root links"},
     2},
    {"TwoJointsOfAName",
     [](R& r, O&) {
       r.links.push_back({"hand", std::nullopt});
       r.joints.push_back(joint("elbow", "lower", "hand"));
     },
     {"joint 'elbow': the name is taken already"}},
    {"MissingParent",
     [](R& r, O&) { r.joints[1].parent = "nobody"; },
     {"joint 'elbow'", "its parent is 'nobody', no link has that name"}},
    {"MissingChild",
     [](R& r, O&) { r.joints[1].child = "nobody"; },
     {"joint 'elbow'", "its child is 'nobody', no link has that name"}},
    {"TwoParents",
     [](R& r, O&) { r.joints.push_back(joint("loop", "base", "lower")); },
     {"joint 'loop'", "its child 'lower' is the child of joint 'elbow' too"}},
    {"TwoRoots",
     [](R& r, O&) { r.joints.pop_back(); },
     {"robot: has 2 root links", "expected one: 'base', 'lower'"}},
    {"Cycle",
     [](R& r, O&) { r.joints.push_back(joint("back", "lower", "base")); },
     {"is part of a loop", "'shoulder', 'elbow', 'back'", "every link is the child of a joint"},
     2},
    {"Itself",
     [](R& r, O&) {
       r.links.push_back({"x", std::nullopt});
       r.joints.push_back(joint("x", "x", "x"));
     },
     {"joint 'x': parent and child are the same link 'x'"}},
    {"ZeroAxis",
     [](R& r, O&) {
       r.joints[0].axis = {0, 0, 0};
     },
     {"joint 'shoulder'", "axis is (0 0 0)", "not zero"}},
    {"AxisNaN",
     [](R& r, O&) {
       r.joints[0].axis = {nan, 0, 1};
     },
     {"joint 'shoulder'", "axis is (nan 0 1)"}},
    {"AxisTooLong",
     [](R& r, O&) {
       r.joints[0].axis = {1e200, 0, 0};
     },
     {"joint 'shoulder'", "axis is (1e+200 0 0)"}},
    {"OriginNaN",
     [](R& r, O&) { r.joints[0].origin.position.y = nan; },
     {"joint 'shoulder'", "origin", "not finite"}},
    {"RotationInfinite",
     [](R& r, O&) { r.joints[0].origin.rotation.z.x = infinity; },
     {"joint 'shoulder'", "origin", "not finite"}},
    {"PitchNaN",
     [](R& r, O&) { r.joints[0].kind = JointKind::helical, r.joints[0].pitch = nan; },
     {"joint 'shoulder'", "pitch"}},
    {"LimitNaN",
     [](R& r, O&) {
       r.joints[0].limits = JointLimits{-infinity, nan, infinity, infinity};
     },
     {"joint 'shoulder'", "limits have a number that is NaN"}},
    {"NegativeArmature",
     [](R& r, O&) { r.joints[0].armature = -1; },
     {"joint 'shoulder'", "armature is -1", "not negative"}},
    {"NegativeDamping",
     [](R& r, O&) { r.joints[0].damping = -2; },
     {"joint 'shoulder'", "damping is -2", "not negative"}},
    {"FrictionNaN",
     [](R& r, O&) { r.joints[0].friction = nan; },
     {"joint 'shoulder'", "friction is nan", "not negative"}},
    {"ArmatureOfNobody",
     [](R&, O& o) { o.armature["wrist"] = 1; },
     {"armature", "joint 'wrist'", "does not exist"}},
    {"ArmatureOptionNegative",
     [](R&, O& o) { o.armature["elbow"] = -3; },
     {"armature of joint 'elbow' is -3", "not negative"}},
    {"GravityNaN", [](R&, O& o) { o.gravity.z = nan; }, {"gravity is (0 0 nan)", "finite"}},
    {"MimicOfNobody",
     [](R& r, O&) {
       r.joints[1].mimic = Mimic{"wrist", 1, 0};
     },
     {"joint 'elbow'", "mimics 'wrist', no joint has that name"}},
    {"MimicWithoutName",
     [](R& r, O&) {
       r.joints[1].mimic = Mimic{"", 1, 0};
     },
     {"joint 'elbow'", "mimics '', no joint has that name"}},
    {"MimicOfItself",
     [](R& r, O&) {
       r.joints[1].mimic = Mimic{"elbow", 1, 0};
     },
     {"joint 'elbow'", "mimics itself"}},
    {"MimicNaN",
     [](R& r, O&) {
       r.joints[1].mimic = Mimic{"shoulder", nan, 0};
     },
     {"joint 'elbow'", "multiplier or offset is not finite"}},
    {"MimicOfSeveralCoordinates",
     [](R& r, O&) {
       r.joints[0].kind = JointKind::planar;
       r.joints[1].mimic = Mimic{"shoulder", 1, 0};
     },
     {"joint 'elbow'", "mimics the planar joint 'shoulder'", "prismatic or helical one"}},
    {"MimicOfFixed",
     [](R& r, O&) {
       r.joints[0].kind = JointKind::fixed;
       r.joints[1].mimic = Mimic{"shoulder", 1, 0};
     },
     {"joint 'elbow'", "mimics the fixed joint 'shoulder'", "prismatic or helical one"}},
    {"MimicBySeveralCoordinates",
     [](R& r, O&) {
       r.joints[1].kind = JointKind::spherical;
       r.joints[1].mimic = Mimic{"shoulder", 1, 0};
     },
     {"joint 'elbow'", "a spherical joint has <mimic>"}},
    {"FloatingBaseNameTaken",
     [](R& r, O& o) {
       r.joints[0].name = "floating_base";
       o.base = Base::floating;
     },
     {"joint 'floating_base'", "taken", "rename"}},
    {"InertiaError",
     [](R& r, O& o) {
       r.links[1].inertial->mass = -1;
       o.inertia_policy = InertiaPolicy::error;
     },
     {"link 'upper'", "mass is -1 kg", "not negative"}},
    {"MassNaN", [](R& r, O&) { r.links[1].inertial->mass = nan; }, {"link 'upper'", "not finite"}},
};

INSTANTIATE_TEST_SUITE_P(Each, BuildModelFault, testing::ValuesIn(faults),
                         [](const testing::TestParamInfo<Fault>& fault) {
                           return std::string(fault.param.name);
                         });

TEST(BuildModel, ReportsAllFaultsAtOnce) {
  RobotDescription robot = arm();
  robot.links.push_back({"upper", std::nullopt});
  robot.joints[0].axis = {0, 0, 0};
  robot.joints[0].damping = -1;
  robot.joints[1].parent = "nobody";
  robot.joints[1].mimic = Mimic{"wrist", 1, 0};
  ModelOptions options;
  options.gravity.x = infinity;
  options.armature["wrist"] = 1;
  const Lines found = faults_of([&] { build_model(robot, options); });
  EXPECT_EQ(found.size(), 7u) << joined(found);
  for (const char* part :
       {"'upper'", "axis", "damping", "'nobody'", "mimics", "gravity", "armature"}) {
    EXPECT_TRUE(any_has(found, part)) << part;
  }
}

TEST(BuildModel, WhatHasAllFaultsALineEach) {
  RobotDescription robot = arm();
  robot.joints[0].axis = {0, 0, 0};
  robot.joints[1].damping = -1;
  try {
    build_model(robot);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.what() + std::string("\n"), joined(error.faults()));
  }
}

TEST(BuildModel, WhatIsNoRotationIsRefused) {
  RobotDescription robot = arm();
  robot.joints[0].origin.rotation = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
  robot.joints[1].origin.rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}};  // a mirror
  robot.links[1].inertial->origin.rotation = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  const Lines found = faults_of([&] { build_model(robot); });
  EXPECT_EQ(found.size(), 3u) << joined(found);
  for (const char* part : {"joint 'shoulder': origin.rotation is not a rotation",
                           "joint 'elbow': origin.rotation is not a rotation",
                           "link 'upper': inertial origin.rotation is not a rotation"}) {
    EXPECT_TRUE(any_has(found, part)) << part << "\n" << joined(found);
  }
}

TEST(BuildModel, MultipliersOfChainedMimicsMayNotOverflow) {
  RobotDescription robot = arm();
  robot.links.push_back({"hand", std::nullopt});
  JointDescription wrist = robot.joints[1];
  wrist.name = "wrist";
  wrist.parent = robot.joints[1].child;
  wrist.child = "hand";
  wrist.mimic = Mimic{"elbow", 1e90, 0};
  robot.joints.push_back(wrist);
  robot.joints[1].mimic = Mimic{"shoulder", 1e90, 0};
  const Lines found = faults_of([&] { build_model(robot); });
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_EQ(found[0],
            "joint 'wrist': mimic multiplier along its leaders is not finite or not below 1e100");
}

TEST(BuildModel, AMovedModelLeavesARobotWithoutBodies) {
  Model first = build_model(arm());
  const Model second(std::move(first));
  EXPECT_EQ(second.nv(), 2);
  const Model copy(first);
  EXPECT_EQ(copy.nv(), 0);
  EXPECT_EQ(copy.body_count(), 0);
  EXPECT_TRUE(copy.neutral().empty());
}

TEST(BuildModel, MimicCyclesAreFound) {
  RobotDescription robot = arm();
  robot.joints[0].mimic = Mimic{"elbow", 1, 0};
  robot.joints[1].mimic = Mimic{"shoulder", 1, 0};
  const Lines found = faults_of([&] { build_model(robot); });
  EXPECT_TRUE(any_has(
      found, "joint 'shoulder': mimics in a circle, through the joints 'shoulder', 'elbow'"))
      << joined(found);
  ModelOptions independent;
  independent.mimic = MimicPolicy::independent;
  EXPECT_EQ(build_model(robot, independent).nv(), 2);
}

TEST(BuildModel, InertiaFaultsAreReportedTogether) {
  RobotDescription robot = arm();
  robot.links[1].inertial->mass = -1;
  robot.links[2].inertial->rotational = {1, 0, 0, 1, 0, 5};
  ModelOptions options;
  options.inertia_policy = InertiaPolicy::error;
  const Lines found = faults_of([&] { build_model(robot, options); });
  ASSERT_EQ(found.size(), 2u) << joined(found);
  EXPECT_TRUE(any_has(found, "link 'upper'"));
  EXPECT_TRUE(any_has(found, "triangle inequality"));
}

// ---- order and coordinates
// ------------------------------------------------------------------------------------------

TEST(BuildModel, OrderIsDepthFirstByJointName) {
  RobotDescription robot;
  robot.name = "tree";
  for (const char* link : {"root", "a", "b", "c", "d", "e"}) robot.links.push_back({link, ball(1)});
  // Given in an order that is neither.
  robot.joints = {joint("z", "root", "a"), joint("y", "b", "c"), joint("m", "root", "b"),
                  joint("x", "a", "d"), joint("k", "b", "e")};
  const Model model = build_model(robot);
  EXPECT_EQ(model.joint_names(), (Lines{"m", "k", "y", "z", "x"}));
  std::vector<int> parents, bodies;
  for (const Joint& j : model.joints()) parents.push_back(j.parent), bodies.push_back(j.body);
  EXPECT_EQ(parents, (std::vector<int>{-1, 0, 0, -1, 3}));
  EXPECT_EQ(bodies, (std::vector<int>{0, 1, 2, 3, 4}));
  Lines links;
  for (const Link& link : model.links()) links.push_back(link.name);
  EXPECT_EQ(links, (Lines{"root", "b", "e", "c", "a", "d"}));
  EXPECT_EQ(model.find_link("c"), 3);
  EXPECT_EQ(model.find_joint("x"), 4);
  EXPECT_EQ(model.find_link("nobody"), std::nullopt);
  EXPECT_EQ(model.find_joint(""), std::nullopt);
}

TEST(BuildModel, CoordinatesFollowTheOrder) {
  const Model model = conformance::mixed_chain().model();
  EXPECT_EQ(model.joint_names(), (Lines{"b_revolute", "c_spherical", "f_prismatic", "g_planar",
                                        "h_helical", "i_floating", "j_continuous"}));
  EXPECT_EQ(model.nq(), 1 + 4 + 1 + 3 + 1 + 7 + 1);
  EXPECT_EQ(model.nv(), 1 + 3 + 1 + 3 + 1 + 6 + 1);
  int q = 0, v = 0;
  for (const Joint& j : model.joints()) {
    EXPECT_EQ(j.q_index, q);
    EXPECT_EQ(j.v_index, v);
    for (int k = 0; k < j.nv; ++k) EXPECT_EQ(model.joint_of_dof(v + k), j.body);
    q += j.nq;
    v += j.nv;
  }
}

TEST(BuildModel, NeutralHasUnitQuaternions) {
  const Model model = conformance::mixed_tree(Base::floating).model();
  const std::vector<double> q = model.neutral();
  ASSERT_EQ(static_cast<int>(q.size()), model.nq());
  std::vector<double> expected(q.size(), 0.0);
  conformance::for_each_quaternion(model, [&](std::size_t first) { expected[first + 3] = 1; });
  EXPECT_EQ(q, expected);
}

TEST(BuildModel, FloatingBaseIsTheFirstJoint) {
  ModelOptions options;
  options.base = Base::floating;
  const Model model = build_model(arm(), options);
  EXPECT_EQ(model.joint_names(), (Lines{"floating_base", "shoulder", "elbow"}));
  EXPECT_EQ(model.nq(), 9);
  EXPECT_EQ(model.nv(), 8);
  EXPECT_EQ(model.joints()[0].kind, JointKind::floating);
  EXPECT_EQ(model.joints()[0].parent, -1);
  EXPECT_EQ(model.links()[0].body, 0);
  EXPECT_EQ(model.base_inertia().m, 0);
}

TEST(BuildModel, TreeShowsEveryJoint) {
  RobotDescription robot = arm();
  robot.links.push_back({"hand", ball(0.5)});
  robot.joints.push_back(joint("wrist", "lower", "hand", JointKind::fixed));
  robot.joints[1].mimic = Mimic{"shoulder", -2, 0.5};
  EXPECT_EQ(build_model(robot).tree(),
            "arm: 2 moving joints, nq 1, nv 1, 3.5 kg\n"
            "world = base\n"
            "  shoulder (revolute, q[0]) -> upper, 2 kg\n"
            "    elbow (revolute, mimics shoulder: -2 q[0] + 0.5) -> lower + hand, 1.5 kg\n");
}

// ---- fixed joints
// ---------------------------------------------------------------------------------------------------

/// Poses of all links at q, by name: x y z and quaternion.
std::vector<double> pose_of(const Model& model, const std::vector<double>& q,
                            const std::string& link) {
  const auto backend = make_backend("reference");
  backend->configure(std::make_shared<const Model>(model));
  const int index = model.find_link(link).value();
  std::vector<double> pose(7);
  EXPECT_TRUE(backend->link_kinematics({.q = q, .links = {&index, 1}, .poses = pose}).ok());
  return pose;
}

std::vector<double> gravity_of(const Model& model, const std::vector<double>& q) {
  const auto backend = make_backend("reference");
  backend->configure(std::make_shared<const Model>(model));
  std::vector<double> tau(static_cast<std::size_t>(model.nv()));
  EXPECT_TRUE(backend->gravity_forces({.q = q, .v = {}, .tau = tau}).ok());
  return tau;
}

std::vector<double> mass_matrix_of(const Model& model, const std::vector<double>& q) {
  const auto backend = make_backend("reference");
  backend->configure(std::make_shared<const Model>(model));
  std::vector<double> M(static_cast<std::size_t>(model.nv() * model.nv()));
  EXPECT_TRUE(backend->mass_matrix({.q = q, .mass_matrix = M}).ok());
  return M;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(actual[k], expected[k], tolerance) << k;
}

/// Turns about z by 90 degrees at each of two fixed joints in a row: the frame at the end looks
/// back.
TEST(BuildModel, FixedJointsInARowKeepTheirFramesByName) {
  RobotDescription robot = arm();
  const double right = std::acos(0.0);
  robot.links.push_back({"tool", std::nullopt});
  robot.links.push_back({"tip", ball(0.5)});
  robot.joints.push_back(joint("flange", "lower", "tool", JointKind::fixed));
  robot.joints.push_back(joint("point", "tool", "tip", JointKind::fixed));
  robot.joints[2].origin = pose_from_rpy({0.5, 0, 0}, 0, 0, right);
  robot.joints[3].origin = pose_from_rpy({0.25, 0, 0.1}, 0, 0, right);
  const Model model = build_model(robot);
  EXPECT_EQ(model.body_count(), 2);
  EXPECT_EQ(model.links()[link_index(model, "tip")].body, 1);
  // At q = (90 degrees, 0): elbow at (0, 1), tool at (0, 1.5), tip 0.25 along the tool's x, which
  // is -x of the world.
  expect_near(pose_of(model, {right, 0}, "tool"), {0, 1.5, 0, 0, 0, 1, 0}, 1e-15);
  const double half = std::sqrt(0.5);
  expect_near(pose_of(model, {right, 0}, "tip"), {-0.25, 1.5, 0.1, 0, 0, -half, half}, 1e-15);
  EXPECT_DOUBLE_EQ(model.total_mass(), 3.5);
  // What the lumped body weighs, with its parts where they are: gravity along -y, arm stretched out
  // along x.
  ModelOptions options;
  options.gravity = {0, -10, 0};
  const std::vector<double> tau = gravity_of(build_model(robot, options), {0, 0});
  expect_near(tau, {10 * (1 * 1 + 0.5 * 1.5), 10 * 0.5 * 0.5}, 1e-14);
}

TEST(BuildModel, LinksFixedToTheWorldMakeTheBaseInertia) {
  RobotDescription robot = arm();
  robot.links[0].inertial = ball(3);
  robot.links.push_back({"table", ball(5)});
  robot.joints.push_back(joint("bolt", "base", "table", JointKind::fixed));
  robot.joints.back().origin.position = {0, 2, 0};
  const Model model = build_model(robot);
  EXPECT_EQ(model.links()[link_index(model, "table")].body, -1);
  const Inertia<double>& I = model.base_inertia();
  EXPECT_DOUBLE_EQ(I.m, 8);
  EXPECT_DOUBLE_EQ(I.h.x, 0);
  EXPECT_DOUBLE_EQ(I.h.y, 10);
  EXPECT_DOUBLE_EQ(I.I.xx, 0.1 * 8 + 5 * 4);
  EXPECT_DOUBLE_EQ(I.I.yy, 0.1 * 8);
  EXPECT_DOUBLE_EQ(model.total_mass(), 11);
  // They enter the centre of mass: (3 at 0, 5 at y = 2, 2 at 0, 1 at x = 1) / 11.
  const auto backend = make_backend("reference");
  backend->configure(std::make_shared<const Model>(model));
  std::vector<double> com(3);
  ASSERT_TRUE(backend->energies({.q = model.neutral(), .v = {}, .com = com}).ok());
  expect_near(com, {1.0 / 11, 10.0 / 11, 0}, 1e-15);
  expect_near(pose_of(model, model.neutral(), "table"), {0, 2, 0, 0, 0, 0, 1}, 0);
}

TEST(BuildModel, ARobotOfFixedJointsDoesNotMove) {
  RobotDescription robot = arm();
  for (JointDescription& j : robot.joints) j.kind = JointKind::fixed;
  const Model model = build_model(robot);
  EXPECT_EQ(model.nv(), 0);
  EXPECT_EQ(model.body_count(), 0);
  EXPECT_DOUBLE_EQ(model.base_inertia().m, 3);
}

// ---- mimic
// ----------------------------------------------------------------------------------------------------------

TEST(BuildModel, AMimicOfAMimicFollowsTheJointAtTheEnd) {
  RobotDescription robot = arm();
  robot.links.push_back({"hand", ball(1)});
  robot.joints.push_back(joint("wrist", "lower", "hand"));
  robot.joints[1].mimic = Mimic{"shoulder", 2, 0.5};
  robot.joints[2].mimic = Mimic{"elbow", 3, -1};
  const Model model = build_model(robot);
  EXPECT_EQ(model.nv(), 1);
  EXPECT_EQ(model.joint_names(), (Lines{"shoulder"}));
  EXPECT_TRUE(model.has_mimic());
  const Joint& wrist = model.joints()[2];
  ASSERT_TRUE(wrist.mimic);
  EXPECT_EQ(wrist.mimic->joint, "shoulder");
  EXPECT_DOUBLE_EQ(wrist.mimic->multiplier, 6);  // q = 3 (2 q0 + 0.5) - 1
  EXPECT_DOUBLE_EQ(wrist.mimic->offset, 0.5);
  EXPECT_EQ(wrist.q_index, 0);
  EXPECT_EQ(wrist.v_index, 0);

  ModelOptions independent;
  independent.mimic = MimicPolicy::independent;
  const Model free = build_model(robot, independent);
  EXPECT_EQ(free.nv(), 3);
  EXPECT_FALSE(free.has_mimic());
  const double q = 0.3;
  expect_near(pose_of(model, {q}, "hand"), pose_of(free, {q, 2 * q + 0.5, 6 * q + 0.5}, "hand"),
              1e-15);
}

/// M of the coupled robot is G^T M G, where v = G qd of the free one: (1, 2, 6).
TEST(BuildModel, MimicJointsMapTheMassMatrixAndTheArmature) {
  RobotDescription robot = arm();
  robot.joints[1].mimic = Mimic{"shoulder", 2, 0.5};
  robot.joints[0].armature = 0.3;
  robot.joints[1].armature = 0.7;
  ModelOptions independent;
  independent.mimic = MimicPolicy::independent;
  const std::vector<double> M = mass_matrix_of(build_model(robot, independent), {0.3, 1.1});
  expect_near(mass_matrix_of(build_model(robot), {0.3}), {M[0] + 2 * (M[1] + M[2]) + 4 * M[3]},
              1e-14);
}

/// In the words of load_urdf, which finds them by the same code.
TEST(BuildModel, OddLimitsAreAWarning) {
  RobotDescription robot = arm();
  const auto warnings = [&](JointKind kind, const JointLimits& limits) {
    robot.joints[0].kind = kind;
    robot.joints[0].limits = limits;
    return joined(build_model(robot).warnings());
  };
  EXPECT_EQ(warnings(JointKind::revolute, {1, -1, -2, -3}),
            "joint 'shoulder': limit effort is negative\n"
            "joint 'shoulder': limit velocity is negative\n"
            "joint 'shoulder': limit lower is above limit upper\n");
  for (const JointKind kind : {JointKind::prismatic, JointKind::helical}) {
    EXPECT_EQ(warnings(kind, {infinity, -infinity, 1, 1}),
              "joint 'shoulder': limit lower is above limit upper\n");
  }
  EXPECT_EQ(warnings(JointKind::continuous, {1, -1, 1, 1}), "");  // has no range
  EXPECT_EQ(warnings(JointKind::revolute, {-infinity, infinity, infinity, infinity}), "");
  EXPECT_EQ(warnings(JointKind::revolute, {1, 1, 0, 0}), "");
}

TEST(BuildModel, MimicOnAFixedJointIsAWarning) {
  RobotDescription robot = arm();
  robot.joints[1].kind = JointKind::fixed;
  robot.joints[1].mimic = Mimic{"shoulder", 1, 0};
  EXPECT_TRUE(any_has(build_model(robot).warnings(), "'elbow'"));
}

TEST(BuildModel, ArmatureOptionReplacesTheDescription) {
  RobotDescription robot = arm();
  robot.joints[1].armature = 0.5;
  const std::vector<double> with = mass_matrix_of(build_model(robot), {0, 0});
  ModelOptions options;
  options.armature["elbow"] = 2;
  const std::vector<double> replaced = mass_matrix_of(build_model(robot, options), {0, 0});
  EXPECT_DOUBLE_EQ(replaced[3] - with[3], 1.5);
  EXPECT_EQ(replaced[0], with[0]);
}

// ---- inertias
// -------------------------------------------------------------------------------------------------------

TEST(BuildModel, InertiaPolicyWarnKeepsTheNumbers) {
  RobotDescription robot = arm();
  robot.links[2].inertial->rotational = {1, 0, 0, 1, 0, 5};
  const Model model = build_model(robot);
  ASSERT_EQ(model.warnings().size(), 1u) << joined(model.warnings());
  EXPECT_TRUE(any_has(model.warnings(), "link 'lower'"));
  EXPECT_TRUE(any_has(model.warnings(), "triangle inequality"));
  EXPECT_TRUE(any_has(model.warnings(), "used as written"));
  EXPECT_DOUBLE_EQ(mass_matrix_of(model, {0, 0})[3], 5);
}

TEST(BuildModel, InertiaPolicyZeroDropsTheLinksInertia) {
  RobotDescription robot = arm();
  robot.links[1].inertial->rotational.xx = -1;
  ModelOptions options;
  options.inertia_policy = InertiaPolicy::zero;
  const Model model = build_model(robot, options);
  EXPECT_TRUE(any_has(model.warnings(), "link 'upper'"));
  EXPECT_TRUE(any_has(model.warnings(), "set to zero"));
  EXPECT_DOUBLE_EQ(model.total_mass(), 1);
  EXPECT_EQ(model.links()[1].mass, 0);
}

/// Moments of a thin plate add up to the largest; written with a few digits they may miss it.
TEST(BuildModel, ARoundedPlateObeysTheTriangleInequality) {
  RobotDescription robot = arm();
  ModelOptions strict;
  strict.inertia_policy = InertiaPolicy::error;
  robot.links[1].inertial->rotational = {1, 0, 0, 2, 0, 3.000002};
  EXPECT_EQ(build_model(robot, strict).warnings(), Lines{});
  robot.links[1].inertial->rotational.zz = 3.00001;
  EXPECT_TRUE(any_has(faults_of([&] { build_model(robot, strict); }), "triangle inequality"));
}

TEST(BuildModel, AMasslessMovingLeafIsAWarning) {
  RobotDescription robot = arm();
  robot.links[2].inertial.reset();
  EXPECT_TRUE(any_has(build_model(robot).warnings(), "link 'lower': has no inertia"));
  EXPECT_TRUE(any_has(build_model(robot).warnings(), "joint 'elbow'"));
  ModelOptions options;
  options.armature["elbow"] = 0.1;
  EXPECT_TRUE(build_model(robot, options).warnings().empty());
  robot.links[2].inertial = ball(1);
  robot.links[1].inertial.reset();  // carries one that has
  EXPECT_TRUE(build_model(robot).warnings().empty());
}

TEST(BuildModel, WarningsOfTheDescriptionAreHandedOn) {
  RobotDescription robot = arm();
  robot.warnings = {"the paint is wet"};
  EXPECT_EQ(build_model(robot).warnings(), robot.warnings);
}

// ---- what a Model tells of its parts
// ---------------------------------------------------------------------------------------------------------

void expect_equal(const Vec3<double>& a, const Vec3<double>& b) {
  EXPECT_DOUBLE_EQ(a.x, b.x);
  EXPECT_DOUBLE_EQ(a.y, b.y);
  EXPECT_DOUBLE_EQ(a.z, b.z);
}

TEST(BuildModel, JointsKeepTheirNumbers) {
  RobotDescription robot = arm();
  JointDescription& elbow = robot.joints[1];
  elbow.kind = JointKind::helical;
  elbow.origin = pose_from_rpy({0.1, 0.2, 0.3}, 0.4, 0.5, 0.6);
  elbow.axis = {0, 3, 4};
  elbow.pitch = 0.7;
  elbow.armature = 0.8;
  elbow.damping = 0.9;
  elbow.friction = 1.1;
  robot.joints[0].pitch = 5;
  ModelOptions options;
  options.armature["shoulder"] = 1.2;
  options.base = Base::floating;
  const Model model = build_model(robot, options);
  const Joint &base = model.joints()[0], &first = model.joints()[1], &second = model.joints()[2];
  expect_equal(second.origin.position, elbow.origin.position);
  expect_equal(second.origin.rotation.y, elbow.origin.rotation.y);
  expect_equal(second.axis, {0, 0.6, 0.8});
  EXPECT_EQ(second.pitch, 0.7);
  EXPECT_EQ(second.armature, 0.8);
  EXPECT_EQ(second.damping, 0.9);
  EXPECT_EQ(second.friction, 1.1);
  EXPECT_EQ(first.pitch, 0);
  EXPECT_TRUE(any_has(model.warnings(), "joint 'shoulder': is revolute, its pitch means nothing"));
  EXPECT_EQ(first.armature, 1.2);
  expect_equal(base.axis, {0, 0, 0});
  EXPECT_EQ(base.armature, 0);
}

TEST(BuildModel, LinksKeepTheirInertia) {
  RobotDescription robot = arm();
  LinkInertial turned;  // a quarter turn about z swaps the moments about x and y
  turned.mass = 2;
  turned.origin = pose_from_rpy({0.1, 0.2, 0.3}, 0, 0, std::acos(-1) / 2);
  turned.rotational = {1, 0, 0, 2, 0, 3};
  robot.links[2].inertial = turned;
  const Link lower = build_model(robot).links()[2];
  EXPECT_EQ(lower.mass, 2);
  expect_equal(lower.com, {0.1, 0.2, 0.3});
  EXPECT_NEAR(lower.inertia.xx, 2, 1e-15);
  EXPECT_NEAR(lower.inertia.yy, 1, 1e-15);
  EXPECT_NEAR(lower.inertia.xy, 0, 1e-15);
  EXPECT_EQ(lower.inertia.zz, 3);

  robot.links[2].inertial->rotational = {1, 0, 0, 1, 0, 9};  // no body has that
  ModelOptions options;
  options.inertia_policy = InertiaPolicy::zero;
  const Link zero = build_model(robot, options).links()[2];
  EXPECT_EQ(zero.mass, 0);
  expect_equal(zero.com, {0, 0, 0});
  EXPECT_EQ(zero.inertia.zz, 0);
}

// ---- payload
// --------------------------------------------------------------------------------------------------------

TEST(Payload, EqualsAnExtraLinkOnAFixedJoint) {
  const conformance::Robot robot = conformance::mixed_chain();
  const Model before = robot.model();
  conformance::Random random(3);
  const LinkInertial load = random.inertial();
  for (const std::string link : {"link_k_fixed", "link_c_spherical", "base"}) {
    conformance::Robot extended = robot;
    extended.description.links.push_back({"load", load});
    extended.description.joints.push_back(joint("zz_load", link, "load", JointKind::fixed));
    const Model loaded = before.with_payload(link, load), expected = extended.model();
    const std::vector<double> q = conformance::random_configuration(before, random);
    expect_near(gravity_of(loaded, q), gravity_of(expected, q), 1e-12);
    expect_near(mass_matrix_of(loaded, q), mass_matrix_of(expected, q), 1e-12);
    EXPECT_DOUBLE_EQ(loaded.total_mass(), before.total_mass() + load.mass);
    EXPECT_DOUBLE_EQ(loaded.base_inertia().m, expected.base_inertia().m);
  }
}

TEST(Payload, LeavesTheOldModelAsItWas) {
  const Model before = build_model(arm());
  const std::vector<double> M = mass_matrix_of(before, {0.1, 0.2});
  const Model loaded = before.with_payload("lower", ball(4));
  EXPECT_EQ(mass_matrix_of(before, {0.1, 0.2}), M);
  EXPECT_DOUBLE_EQ(before.total_mass(), 3);
  EXPECT_DOUBLE_EQ(loaded.links()[2].mass, 5);
  EXPECT_DOUBLE_EQ(before.links()[2].mass, 1);
  // Twice the same link: payloads add up.
  EXPECT_DOUBLE_EQ(loaded.with_payload("lower", ball(1)).total_mass(), 8);
}

/// Two balls of 1 and 3 kg, 0.4 m apart: I = I1 + I2 + m1 m2 / (m1 + m2) d^2 across the line
/// between them.
TEST(Payload, IsPartOfTheInertiaOfItsLink) {
  LinkInertial load = ball(3);
  load.origin.position = {0.4, 0, 0};
  const Model before = build_model(arm());
  const Link link = before.with_payload("lower", load).links()[2];
  EXPECT_EQ(link.mass, 4);
  expect_equal(link.com, {0.3 * 4 / 4, 0, 0});
  EXPECT_NEAR(link.inertia.xx, 0.4, 1e-15);
  EXPECT_NEAR(link.inertia.yy, 0.4 + 0.75 * 0.16, 1e-15);
  EXPECT_NEAR(link.inertia.zz, 0.4 + 0.75 * 0.16, 1e-15);
  const Link alone = before.with_payload("base", load).links()[0];
  EXPECT_EQ(alone.mass, 3);
  expect_equal(alone.com, {0.4, 0, 0});
  EXPECT_NEAR(alone.inertia.xx, 0.3, 1e-15);
  const Link nothing = before.with_payload("base", LinkInertial{}).links()[0];
  EXPECT_EQ(nothing.mass, 0);
  expect_equal(nothing.com, {0, 0, 0});
}

TEST(Payload, FaultsNameLinkAndReason) {
  const Model model = build_model(arm());
  EXPECT_TRUE(any_has(faults_of([&] { (void)model.with_payload("hand", ball(1)); }),
                      "link 'hand' is not in 'arm'"));
  const Lines negative = faults_of([&] { (void)model.with_payload("lower", ball(-1)); });
  EXPECT_TRUE(any_has(negative, "payload on link 'lower': mass is -1 kg")) << joined(negative);
  LinkInertial odd = ball(1);
  odd.origin.position.x = nan;
  EXPECT_TRUE(any_has(faults_of([&] { (void)model.with_payload("lower", odd); }), "not finite"));
}

// ---- lifetime
// -------------------------------------------------------------------------------------------------------

/// A view points into its own Model: copies, moved ones and copies of copies stay right when the
/// first one is gone.
TEST(Model, CopiesOutliveTheOriginal) {
  const conformance::Robot robot = conformance::mixed_tree(Base::floating);
  conformance::Random random(8);
  auto original = std::make_unique<Model>(robot.model());
  const std::vector<double> q = conformance::random_configuration(*original, random);
  const std::vector<double> expected = gravity_of(*original, q);
  const Model copy(*original);
  const Model moved(std::move(*original));
  original.reset();
  const std::vector<std::vector<char>> noise(
      50, std::vector<char>(4096, 0x55));  // whoever looks there finds this
  EXPECT_EQ(gravity_of(copy, q), expected);
  EXPECT_EQ(gravity_of(moved, q), expected);
  EXPECT_NE(copy.view().body, moved.view().body);
  for (int k = 0; k < copy.nv(); ++k) {
    EXPECT_EQ(copy.view().armature[k], moved.view().armature[k]);
    EXPECT_EQ(copy.view().damping[k], moved.view().damping[k]);
    EXPECT_EQ(copy.view().friction[k], moved.view().friction[k]);
  }
  EXPECT_EQ(copy.tree(), moved.tree());
}

}  // namespace
}  // namespace rbd_parallel_core
