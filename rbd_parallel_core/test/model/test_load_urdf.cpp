// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/model/load_urdf.hpp"

#include <gtest/gtest.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <locale>
#include <string>
#include <thread>
#include <vector>

#include "model/german_locale.hpp"
#include "model/lines.hpp"

namespace rbd_parallel_core {
namespace {

Lines faults_in(const std::string& xml) {
  return faults_of([&] { load_urdf_string(xml); });
}

/// The description; its warnings are compared by the caller if it asks for them.
RobotDescription read(const std::string& xml, Lines* warnings = nullptr) {
  Lines ignored;
  return read_urdf(xml, warnings ? *warnings : ignored);
}

std::string robot(const std::string& content) {
  return "<robot name=\"r\">\n" + content + "\n</robot>\n";
}

/// Two links on lines 2 and 3, then a joint that starts on line 4 with the given type and content.
std::string with_joint(const std::string& type, const std::string& content) {
  return robot("<link name=\"base\"/>\n<link name=\"tip\"/>\n<joint name=\"elbow\" type=\"" + type +
               "\"><parent link=\"base\"/><child link=\"tip\"/>\n" + content + "</joint>");
}

const std::string some_limit = "<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/>";

std::string revolute(const std::string& content) {
  return with_joint("revolute", content + some_limit);
}

/// A link whose <inertial> is on line 2.
std::string with_inertial(const std::string& content) {
  return robot("<link name=\"arm\"><inertial>" + content + "</inertial></link>");
}

const std::string some_mass = "<mass value=\"2\"/>";
const std::string some_inertia =
    "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>";

std::string fixed(const std::string& name, const std::string& parent, const std::string& child) {
  return "<joint name=\"" + name + "\" type=\"fixed\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/></joint>\n";
}

std::string sliding(const std::string& name, const std::string& parent, const std::string& child,
                    const std::string& content) {
  return "<joint name=\"" + name + "\" type=\"prismatic\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + some_limit + content + "</joint>\n";
}

// Every fault class: exactly this fault and no other, with element, line and reason.

struct BadText {
  std::string name, xml, fault;
};

void PrintTo(const BadText& bad, std::ostream* out) { *out << bad.name; }

class LoadUrdfFault : public testing::TestWithParam<BadText> {};

TEST_P(LoadUrdfFault, IsReportedWithElementLineAndReason) {
  EXPECT_EQ(joined(faults_in(GetParam().xml)), GetParam().fault + "\n");
}

std::string axis_fault(const std::string& rest) { return "line 5: joint 'elbow': axis is " + rest; }

std::string mass_fault(const std::string& rest) { return "line 2: link 'arm': mass is " + rest; }

std::string mass(const std::string& value) {
  return with_inertial("<mass value=\"" + value + "\"/>" + some_inertia);
}

std::string axis(const std::string& value) { return revolute("<axis xyz=\"" + value + "\"/>"); }

const std::vector<BadText> bad_numbers = {
    {"nan", mass("nan"), mass_fault("'nan', expected a finite number")},
    {"inf", mass("inf"), mass_fault("'inf', expected a finite number")},
    {"minus_infinity", mass("-infinity"), mass_fault("'-infinity', expected a finite number")},
    {"too_large", mass("1e999"), mass_fault("'1e999', expected a number that a double can hold")},
    {"comma", mass("1,5"),
     mass_fault("'1,5', expected a number with a decimal point, not a comma")},
    {"empty", mass(""), mass_fault("'', expected a number")},
    {"word", mass("heavy"), mass_fault("'heavy', expected a number")},
    {"two_numbers", mass("1 2"), mass_fault("'1 2', expected one number")},
    {"hexadecimal", mass("0x10"), mass_fault("'0x10', expected one number")},
    {"blank_after", mass("1.5 "),
     mass_fault("'1.5 ', expected a number with no blank, tab or line break after it")},
    {"tab_after", mass("1.5\t"),
     mass_fault("'1.5\\t', expected a number with no blank, tab or line break after it")},
    {"vector_of_two", axis("0 1"), axis_fault("'0 1', expected 3 numbers, got 2")},
    {"vector_of_four", axis("0 1 0 0"), axis_fault("'0 1 0 0', expected 3 numbers, got 4")},
    {"vector_empty", axis(""), axis_fault("'', expected 3 numbers, got 0")},
    {"vector_nan", axis("0 nan 1"),
     axis_fault("'0 nan 1', expected a finite number in place of 'nan'")},
    {"vector_comma", axis("0,5 0 1"),
     axis_fault(
         "'0,5 0 1', expected a number with a decimal point, not a comma in place of '0,5'")},
    {"vector_tabs", axis("0\t0\t1"),
     axis_fault("'0\\t0\\t1', expected 3 numbers separated by blanks only, without tabs or line "
                "breaks")},
    {"vector_line_break", axis("0 0\n1"),
     axis_fault("'0 0\\n1', expected 3 numbers separated by blanks only, without tabs or line "
                "breaks")},
    {"origin_xyz", revolute("<origin xyz=\"0 0\"/>"),
     "line 5: joint 'elbow': origin xyz is '0 0', expected 3 numbers, got 2"},
    {"origin_rpy", revolute("<origin rpy=\"0 0 pi\"/>"),
     "line 5: joint 'elbow': origin rpy is '0 0 pi', expected a number in place of 'pi'"},
    {"origin_quaternion", revolute("<origin quat_xyzw=\"0 0 0 1\"/>"),
     "line 5: joint 'elbow': origin has quat_xyzw, which URDF 1.0 does not know; expected rpy"},
    {"limit", with_joint("revolute", "<limit lower=\"a\" effort=\"1\" velocity=\"1\"/>"),
     "line 5: joint 'elbow': limit lower is 'a', expected a number"},
    {"effort", with_joint("revolute", "<limit effort=\"inf\" velocity=\"1\"/>"),
     "line 5: joint 'elbow': limit effort is 'inf', expected a finite number"},
    {"damping", revolute("<dynamics damping=\"x\"/>"),
     "line 5: joint 'elbow': damping is 'x', expected a number"},
    {"negative_damping", revolute("<dynamics damping=\"-0.1\"/>"),
     "line 5: joint 'elbow': damping is -0.1, expected a number that is not negative"},
    {"unit_in_number", mass("2kg"), mass_fault("'2kg', expected one number")},
};

const std::vector<BadText> bad_elements = {
    {"axis_zero", axis("0 0 0"), axis_fault("(0 0 0), expected a non-zero vector")},
    {"axis_huge", axis("1.5e308 1.5e308 0"),
     axis_fault("(1.5e308 1.5e308 0), expected a vector whose length a double can hold")},
    {"axis_without_xyz", revolute("<axis/>"),
     "line 5: joint 'elbow': <axis> has no attribute 'xyz'"},
    {"no_mass", with_inertial(some_inertia), "line 2: link 'arm': <inertial> has no <mass>"},
    {"no_inertia", with_inertial(some_mass), "line 2: link 'arm': <inertial> has no <inertia>"},
    {"mass_without_value", with_inertial("<mass/>" + some_inertia),
     "line 2: link 'arm': <mass> has no attribute 'value'"},
    {"inertia_without_izz",
     with_inertial(some_mass + "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\"/>"),
     "line 2: link 'arm': <inertia> has no attribute 'izz'"},
    {"inertia_nan",
     with_inertial(some_mass +
                   "<inertia ixx=\"1\" ixy=\"nan\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>"),
     "line 2: link 'arm': inertia ixy is 'nan', expected a finite number"},
    {"inertial_origin", with_inertial("<origin xyz=\"1\"/>" + some_mass + some_inertia),
     "line 2: link 'arm': inertial origin xyz is '1', expected 3 numbers, got 1"},
    {"two_inertials",
     robot("<link name=\"arm\"><inertial>" + some_mass + some_inertia + "</inertial>\n<inertial>" +
           some_mass + some_inertia + "</inertial></link>"),
     "line 3: link 'arm': a second <inertial>, expected one"},
    {"attribute_twice", with_inertial("<mass value=\"1\" value=\"2\"/>" + some_inertia),
     "line 2: <mass> has the attribute 'value' twice, expected once"},
    {"unknown_attribute_twice", robot("<link name=\"a\"\n colour = 'x' colour='>' />"),
     "line 2: <link> has the attribute 'colour' twice, expected once"},
    {"type_unknown", with_joint("spherical", ""),
     "line 4: joint 'elbow': type is 'spherical', expected revolute, continuous, prismatic, fixed, "
     "floating or planar"},
    {"type_missing",
     robot("<link name=\"a\"/><link name=\"b\"/><joint name=\"j\"><parent link=\"a\"/>"
           "<child link=\"b\"/></joint>"),
     "line 2: joint 'j': <joint> has no attribute 'type'"},
    {"link_without_name", robot("<link name=\"a\"/>\n<link/>"),
     "line 3: link without name: <link> has no attribute 'name'"},
    {"link_with_empty_name", robot("<link name=\"\"/>\n<link name=\"a\"/>"),
     "line 2: link '': attribute 'name' of <link> is empty, expected a name"},
    {"link_name_with_control_character", robot("<link name=\"a&#10;b\"/>\n<link name=\"a\"/>"),
     "line 2: link 'a&#10;b': attribute 'name' of <link> is 'a\\nb', expected a name without "
     "control characters"},
    {"link_name_not_utf8", robot("<link name=\"a\xFF\"/><link name=\"a\"/>"),
     "line 2: link 'a?': name is 'a?', which is not UTF-8"},
    {"joint_without_name",
     robot("<link name=\"a\"/>\n<joint type=\"fixed\"><parent link=\"a\"/><child "
           "link=\"a\"/></joint>"),
     "line 3: joint without name: <joint> has no attribute 'name'"},
    {"entity", robot("<link name=\"a&evil;\"/>\n<link name=\"b\"/>"),
     "line 2: link 'a&evil;': name has the entity '&evil;', expected one of &amp; &lt; &gt; &quot; "
     "&apos; or a character reference"},
    {"character_reference_zero", robot("<link name=\"a&#0;b\"/>\n<link name=\"b\"/>"),
     "line 2: link 'a&#0;b': name has the entity '&#0;', expected one of &amp; &lt; &gt; &quot; "
     "&apos; or a character reference"},
    {"xacro", robot("<link name=\"a\"/>\n<xacro:macro name=\"m\"/>"),
     "line 3: robot: the element 'xacro:macro' is xacro, expected URDF: run xacro first"},
    {"robot_without_name", "<robot>\n<link name=\"a\"/></robot>",
     "line 1: robot: <robot> has no attribute 'name'"},
    {"version", "<robot name=\"r\" version=\"1.2\"><link name=\"a\"/></robot>",
     "line 1: robot: version is '1.2', expected 1.0 (or none)"},
};

const std::vector<BadText> bad_structures = {
    {"no_links", robot(""), "line 1: robot: has no <link>"},
    {"two_roots", robot("<link name=\"a\"/><link name=\"b\"/>"),
     "line 1: robot: has 2 root links (no joint has them as child), expected one: 'a', 'b'"},
    {"duplicate_link", robot("<link name=\"a\"/>\n<link name=\"a\"/>"),
     "line 3: link 'a': the name is taken already, on line 2\n"
     "line 1: robot: has 2 root links (no joint has them as child), expected one: 'a', 'a'"},
    {"duplicate_joint",
     robot("<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>\n" + fixed("j", "a", "b") +
           fixed("j", "b", "c")),
     "line 4: joint 'j': the name is taken already, on line 3"},
    {"parent_missing", robot("<link name=\"a\"/>\n" + fixed("j", "ghost", "a")),
     "line 3: joint 'j': its parent is 'ghost', no link has that name"},
    {"child_missing", robot("<link name=\"a\"/>\n" + fixed("j", "a", "ghost")),
     "line 3: joint 'j': its child is 'ghost', no link has that name"},
    {"no_parent_element",
     robot("<link name=\"a\"/>\n<joint name=\"j\" type=\"fixed\"><child link=\"a\"/></joint>"),
     "line 3: joint 'j': has no <parent link=\"...\"/>"},
    {"no_child_element",
     robot("<link name=\"a\"/>\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>"),
     "line 3: joint 'j': has no <child link=\"...\"/>"},
    {"child_without_link",
     robot("<link name=\"a\"/>\n<joint name=\"j\" type=\"fixed\"><parent "
           "link=\"a\"/><child/></joint>"),
     "line 3: joint 'j': <child> has no attribute 'link'"},
    {"own_parent", robot("<link name=\"a\"/><link name=\"b\"/>\n" + fixed("j", "b", "b")),
     "line 3: joint 'j': parent and child are the same link 'b'"},
    {"two_joints_on_one_child",
     robot("<link name=\"a\"/><link name=\"b\"/>\n" + fixed("j", "a", "b") + fixed("k", "a", "b")),
     "line 4: joint 'k': its child 'b' is the child of joint 'j' too, expected one joint above "
     "each "
     "link"},
    {"cycle_without_root",
     robot("<link name=\"a\"/><link name=\"b\"/>\n" + fixed("j", "a", "b") + fixed("k", "b", "a")),
     "line 3: joint 'j': is part of a loop, expected a tree; the loop has the joints 'j', 'k'\n"
     "line 1: robot: every link is the child of a joint, expected one root link"},
    {"cycle_attached",
     robot("<link name=\"root\"/><link name=\"a\"/><link name=\"b\"/>\n" + fixed("i", "root", "a") +
           fixed("j", "a", "b") + fixed("k", "b", "a")),
     "line 5: joint 'k': its child 'a' is the child of joint 'i' too, expected one joint above "
     "each "
     "link"},
    {"cycle_detached",
     robot("<link name=\"root\"/><link name=\"a\"/><link name=\"b\"/>\n" + fixed("j", "a", "b") +
           fixed("k", "b", "a")),
     "line 3: joint 'j': is part of a loop, expected a tree; the loop has the joints 'j', 'k'"},
    {"mimic_of_nothing", revolute("<mimic joint=\"ghost\"/>"),
     "line 5: joint 'elbow': mimics 'ghost', no joint has that name"},
    {"mimic_without_joint", revolute("<mimic/>"),
     "line 5: joint 'elbow': <mimic> has no attribute 'joint'"},
    {"mimic_number", revolute("<mimic joint=\"elbow\" multiplier=\"two\"/>"),
     "line 5: joint 'elbow': mimic multiplier is 'two', expected a number\n"
     "line 5: joint 'elbow': mimics itself"},
    {"mimic_of_itself", revolute("<mimic joint=\"elbow\"/>"),
     "line 5: joint 'elbow': mimics itself"},
    {"mimic_circle",
     robot("<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>\n" +
           sliding("j", "a", "b", "<mimic joint=\"k\"/>") +
           sliding("k", "b", "c", "<mimic joint=\"j\"/>")),
     "line 3: joint 'j': mimics in a circle, through the joints 'j', 'k'"},
    {"mimic_of_a_fixed_joint",
     robot("<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>\n" + fixed("f", "a", "b") +
           sliding("j", "b", "c", "<mimic joint=\"f\"/>")),
     "line 4: joint 'j': mimics the fixed joint 'f', expected a revolute, continuous or prismatic "
     "one"},
    {"mimic_on_a_floating_joint", with_joint("floating", "<mimic joint=\"elbow\"/>"),
     "line 5: joint 'elbow': a floating joint has <mimic>, expected it on revolute, continuous or "
     "prismatic joints only\n"
     "line 5: joint 'elbow': mimics the floating joint 'elbow', expected a revolute, continuous or "
     "prismatic one\nline 5: joint 'elbow': mimics itself"},
};

const std::vector<BadText> bad_markup = {
    {"empty", "", "the text is empty, expected a URDF that starts with <robot name=\"...\">"},
    {"white_space", " \n\t ",
     "the text is empty, expected a URDF that starts with <robot name=\"...\">"},
    {"wrong_root", "\n<sdf version=\"1.6\"/>",
     "line 2: the root element is 'sdf', expected <robot>"},
    {"only_a_comment", "<!-- robot -->", "no element, expected <robot>"},
    {"two_roots_elements", "<robot name=\"a\"><link name=\"l\"/></robot>\n<robot name=\"b\"/>",
     "line 2: 'robot' stands outside <robot>, expected one root element and nothing else"},
    {"not_closed", "<robot name=\"a\">\n<link name=\"l\">\n</robot>",
     "line 2: not well-formed XML: an element is closed by the wrong tag, or not at all"},
    {"cut_off_tag", "<robot name=\"a\">\n<link name=\"l", ""},
    {"zero_byte", std::string("<robot name=\"a\">\n\0</robot>", 26),
     "line 2: the text has a zero byte, expected characters only"},
    {"utf16", std::string("\xFF\xFE<\0r\0", 6),
     "line 1: the text is UTF-16, expected UTF-8: save it in that encoding"},
    {"entity_declarations",
     "<?xml version=\"1.0\"?>\n<!DOCTYPE robot [<!ENTITY a \"b\">]>\n<robot name=\"&a;\"/>",
     "line 2: the document type has declarations of its own, which are not read; expected plain "
     "XML. "
     "Expand its entities first, for example by xmllint --noent"},
};

const auto test_name = [](const auto& info) { return info.param.name; };

/// Those whose words come from tinyxml2 and differ between its versions have tests of their own.
std::vector<BadText> with_known_words(std::vector<BadText> all) {
  std::erase_if(all, [](const BadText& bad) { return bad.fault.empty(); });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Number, LoadUrdfFault, testing::ValuesIn(bad_numbers), test_name);
INSTANTIATE_TEST_SUITE_P(Element, LoadUrdfFault, testing::ValuesIn(with_known_words(bad_elements)),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Structure, LoadUrdfFault, testing::ValuesIn(bad_structures), test_name);
INSTANTIATE_TEST_SUITE_P(Markup, LoadUrdfFault, testing::ValuesIn(with_known_words(bad_markup)),
                         test_name);

/// What is opened must be closed; tinyxml2 says what it was, in words that it has had for long.
TEST(LoadUrdf, NamesWhatIsNotClosed) {
  const std::string start = "<robot name=\"a\">\n";
  EXPECT_TRUE(
      any_has(faults_in(start + "<!-- on and on"), "line 2: not well-formed XML: a comment"));
  EXPECT_TRUE(any_has(faults_in(start + "<![CDATA[ on"), "line 2: not well-formed XML: a CDATA"));
  EXPECT_TRUE(any_has(faults_in(start + " on"), "not well-formed XML"));
  EXPECT_TRUE(any_has(faults_in(start + "<"), "not well-formed XML"));
  EXPECT_TRUE(any_has(faults_in(start + "<?xml version=\"1.0\"?></robot>"),
                      "line 2: not well-formed XML: a <?...?> is not at the start"));
}

/// Law: a character is the same by its number, in UTF-8 of one to four bytes, as by itself.
TEST(LoadUrdf, ReadsCharactersByTheirNumbers) {
  const Model model = load_urdf_string(
      "<robot name=\"&#65;&#233;&#x20AC;&#x1F916;\"><link "
      "name=\"a&gt;&lt;&amp;&quot;b\"/></robot>");
  EXPECT_EQ(model.name(), "A\u00e9\u20ac\U0001F916");
  EXPECT_EQ(model.links().front().name, "a><&\"b");
}

TEST(LoadUrdf, RefusesATagThatIsCutOff) {
  EXPECT_TRUE(any_has(faults_in("<robot name=\"a\">\n<link name=\"l"), "not well-formed XML"));
}

TEST(LoadUrdf, WarningsThatMayExplainAFaultStandBesideIt) {
  const std::string inner = fixed("j", "a", "b");
  const std::string xml = robot("<link name=\"a\"/>\n<link name=\"b\">" + inner + "</link>");
  try {
    load_urdf_string(xml);
    FAIL() << "expected a ModelError";
  } catch (const ModelError& error) {
    EXPECT_EQ(joined(error.faults()),
              "line 1: robot: has 2 root links (no joint has them as child), expected one: 'a', "
              "'b'\n");
    EXPECT_EQ(joined(error.warnings()),
              "line 3: link 'b': the unknown element 'joint' in <link> is ignored\n");
    EXPECT_EQ(error.what() + std::string("\n"),
              joined(error.faults()) + "warning: " + joined(error.warnings()));
  }
}

TEST(LoadUrdf, WarningsOfTheTextStandBesideFaultsOfTheModel) {
  ModelOptions options;
  options.armature["nobody"] = 1;
  try {
    load_urdf_string(robot("<link name=\"a\"/>\n<whatever/>"), options);
    FAIL() << "expected a ModelError";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.faults().size(), 1u);
    EXPECT_EQ(joined(error.warnings()),
              "line 3: robot: the unknown element 'whatever' in <robot> is ignored\n");
  }
}

TEST(LoadUrdf, OfManyWarningsAnErrorShowsTheFirstOnes) {
  const ModelError error({"fault"}, Lines(25, "odd"));
  EXPECT_TRUE(std::string(error.what()).starts_with("fault\nwarning: odd\nwarning: odd\n"));
  EXPECT_TRUE(std::string(error.what()).ends_with("warning: odd\nand 5 more warnings"));
  EXPECT_EQ(error.warnings().size(), 25u);
}

TEST(LoadUrdf, ReportsAllFaultsAtOnce) {
  const Lines faults = faults_in(
      robot("<link name=\"a\"><inertial><mass value=\"x\"/></inertial></link>\n"
            "<link name=\"b\"/>\n"
            "<joint name=\"j\" type=\"ball\"><parent link=\"a\"/><child link=\"c\"/></joint>"));
  EXPECT_EQ(joined(faults),
            "line 2: link 'a': mass is 'x', expected a number\n"
            "line 2: link 'a': <inertial> has no <inertia>\n"
            "line 4: joint 'j': type is 'ball', expected revolute, continuous, prismatic, fixed, "
            "floating or planar\n"
            "line 4: joint 'j': its child is 'c', no link has that name\n");
}

TEST(LoadUrdf, ListsAThousandFaultsAndCountsTheRest) {
  std::string links;
  for (int i = 0; i < 5000; ++i) links += "<link/>\n";
  const Lines faults = faults_in(robot(links));
  ASSERT_EQ(faults.size(), 1001u);
  EXPECT_EQ(faults.back(), "and 4001 more faults");  // no <link> with a name is one of them
}

TEST(LoadUrdf, ShortensLongNamesInMessages) {
  const Lines faults = faults_in(robot("<link name=\"a\"/>\n<joint name=\"" +
                                       std::string(100000, 'j') + "\" type=\"fixed\"/>"));
  ASSERT_FALSE(faults.empty());
  EXPECT_LT(faults[0].size(), 200u);
}

// Limits

TEST(LoadUrdf, RefusesNestedTagsByTheLimit) {
  std::string xml = "<robot name=\"r\">\n";
  for (int i = 0; i < 200000; ++i) xml += "<a>";
  for (int i = 0; i < 200000; ++i) xml += "</a>";
  const std::string fault =
      "line 2: elements are nested more than 64 deep, which is the limit; a URDF needs about 5\n";
  EXPECT_EQ(joined(faults_in(xml + "</robot>")), fault);
  EXPECT_EQ(joined(faults_in(xml.substr(0, 300000))), fault);  // never closed
}

TEST(LoadUrdf, DepthIsNotCountedInCommentsCdataAndQuotes) {
  std::string many;
  for (int i = 0; i < 200; ++i) many += "<a>";
  const std::string angles(100, '>');
  const std::string xml =
      "<?p " + many + "?>" +
      robot("<link name=\"l\" note='\"" + angles + "' more=\"'" + angles + "\"/>\n<!-- " + many +
            " -->\n<gazebo><![CDATA[" + many + "]]></gazebo>");
  EXPECT_EQ(load_urdf_string(xml).nv(), 0);
}

TEST(LoadUrdf, RefusesTooManyAttributesByTheLimit) {
  std::string attributes;
  for (int i = 0; i < 1000; ++i) attributes += " a" + std::to_string(i) + "='1'";
  const auto link = [](const std::string& more) { return robot("<link name=\"l\"" + more + "/>"); };
  EXPECT_EQ(joined(faults_in(link(attributes))),
            "line 2: an element has more than 1000 attributes, which is the limit; a URDF needs "
            "about 6\n");
  EXPECT_EQ(load_urdf_string(link(attributes.substr(0, attributes.rfind(' ')))).nv(), 0);
}

TEST(LoadUrdf, RefusesTooLargeATextByTheLimit) {
  const std::string xml(129 << 20, ' ');
  EXPECT_EQ(joined(faults_in("<" + xml)), "the text has 135266305 bytes, the limit is 134217728\n");
}

TEST(LoadUrdf, RefusesTooManyElementsByTheLimit) {
  std::string xml = "<robot name=\"r\">";
  for (int i = 0; i < 12'000'001; ++i) xml += "<a/>";
  EXPECT_EQ(joined(faults_in(xml)),
            "line 1: more than 12000000 elements and attributes, which is the limit\n");
}

/// Links l0 to ln, each hanging on the one before it.
std::string chain_of(int n) {
  std::string xml = "<robot name=\"chain\"><link name=\"l0\"/>";
  for (int i = 1; i <= n; ++i) {
    const std::string number = std::to_string(i);
    xml += "<link name=\"l" + number + "\"/><joint name=\"j" + number +
           "\" type=\"continuous\"><parent link=\"l" + std::to_string(i - 1) +
           "\"/><child link=\"l" + number + "\"/></joint>";
  }
  return xml + "</robot>";
}

TEST(LoadUrdf, ReadsAChainOf100000Links) {
  EXPECT_EQ(load_urdf_string(chain_of(100000)).nv(), 100000);
}

TEST(LoadUrdf, ReadsAChainOf70Megabytes) {
  const std::string xml = chain_of(610000);
  EXPECT_GT(xml.size(), std::size_t{70'000'000});
  EXPECT_EQ(load_urdf_string(xml).nv(), 610000);
}

// Paths

TEST(LoadUrdf, NamesAPathThatCannotBeRead) {
  const std::string missing = testing::TempDir() + "no_such_robot.urdf";
  const std::string directory = testing::TempDir();
  EXPECT_EQ(joined(faults_of([&] { load_urdf(missing); })),
            "file '" + missing +
                "': cannot be opened: No such file or directory; expected a readable URDF file\n");
  EXPECT_EQ(joined(faults_of([&] { load_urdf(directory); })),
            "file '" + directory + "': is a directory; expected a readable URDF file\n");
  EXPECT_TRUE(any_has(faults_of([] { load_urdf(std::string("a\0b", 3)); }), "zero byte"));
}

TEST(LoadUrdf, RefusesAnEmptyString) {
  const std::string fault = "got an empty text, expected the path of a URDF file or URDF text\n";
  EXPECT_EQ(joined(faults_of([] { load_urdf(""); })), fault);
  EXPECT_EQ(joined(faults_of([] { load_urdf(" \n"); })), fault);
}

TEST(LoadUrdf, TellsTextFromPath) {
  const std::string text = robot("<link name=\"a\"/>");
  EXPECT_EQ(load_urdf(text).name(), "r");
  EXPECT_EQ(load_urdf("\n\t " + text).name(), "r");
  EXPECT_EQ(load_urdf("\xEF\xBB\xBF" + text).name(), "r");
  EXPECT_EQ(load_urdf("\xEF\xBB\xBF\n<?xml version=\"1.0\"?>" + text).name(), "r");

  const std::string path = testing::TempDir() + "rbd_parallel_load_urdf_test.urdf";
  std::ofstream(path) << "\xEF\xBB\xBF" << text;
  EXPECT_EQ(load_urdf(path).name(), "r");
  EXPECT_EQ(load_urdf_file(path).name(), "r");
  std::filesystem::remove(path);
}

TEST(LoadUrdf, CountsLinesFromTheStartOfTheText) {
  EXPECT_EQ(joined(faults_in("\xEF\xBB\xBF\n\n" + robot("<link/><link name=\"a\"/>"))),
            "line 4: link without name: <link> has no attribute 'name'\n");
}

// Good texts: the values

void expect_near(const Vec3<double>& a, const Vec3<double>& b) {
  EXPECT_NEAR(a.x, b.x, 1e-15);
  EXPECT_NEAR(a.y, b.y, 1e-15);
  EXPECT_NEAR(a.z, b.z, 1e-15);
}

void expect_near(const Pose& a, const Pose& b) {
  expect_near(a.position, b.position);
  expect_near(a.rotation.x, b.rotation.x);
  expect_near(a.rotation.y, b.rotation.y);
  expect_near(a.rotation.z, b.rotation.z);
}

TEST(ReadUrdf, Inertial) {
  const auto robot = read(with_inertial(
      "<origin xyz=\"1 -2 3e-1\" rpy=\"0.1 0.2 0.3\"/><mass value=\"+2.5\"/>"
      "<inertia ixx=\"1\" ixy=\"0.01\" ixz=\"-0.02\" iyy=\"1.5\" iyz=\".03\" izz=\"2.\"/>"));
  ASSERT_EQ(robot.links.size(), 1u);
  ASSERT_TRUE(robot.links[0].inertial);
  const LinkInertial& inertial = *robot.links[0].inertial;
  EXPECT_EQ(inertial.mass, 2.5);
  expect_near(inertial.origin, pose_from_rpy({1, -2, 0.3}, 0.1, 0.2, 0.3));
  EXPECT_EQ(inertial.rotational.xx, 1);
  EXPECT_EQ(inertial.rotational.xy, 0.01);
  EXPECT_EQ(inertial.rotational.xz, -0.02);
  EXPECT_EQ(inertial.rotational.yy, 1.5);
  EXPECT_EQ(inertial.rotational.yz, 0.03);
  EXPECT_EQ(inertial.rotational.zz, 2);
}

TEST(ReadUrdf, LinkWithoutInertial) {
  EXPECT_FALSE(read(robot("<link name=\"a\"/>")).links[0].inertial);
}

TEST(ReadUrdf, RevoluteJoint) {
  Lines warnings;
  const auto robot =
      read(revolute("<origin xyz=\"1 2 3\" rpy=\"0.4 -0.5 0.6\"/><axis xyz=\"0 0.6 -0.8\"/>"
                    "<dynamics damping=\"0.7\" friction=\"0.8\"/>"
                    "<safety_controller k_velocity=\"broken\"/><calibration rising=\"\"/>"),
           &warnings);
  EXPECT_EQ(warnings, Lines{});
  ASSERT_EQ(robot.joints.size(), 1u);
  const JointDescription& joint = robot.joints[0];
  EXPECT_EQ(joint.name, "elbow");
  EXPECT_EQ(joint.kind, JointKind::revolute);
  EXPECT_EQ(joint.parent, "base");
  EXPECT_EQ(joint.child, "tip");
  expect_near(joint.origin, pose_from_rpy({1, 2, 3}, 0.4, -0.5, 0.6));
  expect_near(joint.axis, {0, 0.6, -0.8});
  EXPECT_EQ(joint.damping, 0.7);
  EXPECT_EQ(joint.friction, 0.8);
  EXPECT_FALSE(joint.mimic);
  ASSERT_TRUE(joint.limits);
  EXPECT_EQ(joint.limits->lower, -1);
  EXPECT_EQ(joint.limits->upper, 2);
  EXPECT_EQ(joint.limits->effort, 3);
  EXPECT_EQ(joint.limits->velocity, 4);
}

TEST(ReadUrdf, Defaults) {
  const auto joint = read(revolute("")).joints[0];
  expect_near(joint.axis, {1, 0, 0});
  expect_near(joint.origin, Pose{});
  EXPECT_EQ(joint.damping, 0);
  EXPECT_EQ(joint.friction, 0);
}

TEST(ReadUrdf, JointTypes) {
  const auto kind = [](const std::string& type) {
    return read(with_joint(type, some_limit + "<axis xyz=\"0 0 1\"/>")).joints[0].kind;
  };
  EXPECT_EQ(kind("revolute"), JointKind::revolute);
  EXPECT_EQ(kind("continuous"), JointKind::continuous);
  EXPECT_EQ(kind("prismatic"), JointKind::prismatic);
  EXPECT_EQ(kind("planar"), JointKind::planar);
  EXPECT_EQ(kind("floating"), JointKind::floating);
  EXPECT_EQ(kind("fixed"), JointKind::fixed);
}

TEST(ReadUrdf, AnAxisThatMeansNothingIsNotRead) {
  EXPECT_EQ(faults_in(with_joint("fixed", "<axis xyz=\"0 0 0\"/>")), Lines{});
  EXPECT_EQ(faults_in(with_joint("floating", "<axis xyz=\"0 0 0\"/>")), Lines{});
}

TEST(ReadUrdf, Mimic) {
  const auto text =
      robot("<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/><link name=\"d\"/>" +
            sliding("j", "a", "b", "") +
            sliding("k", "b", "c", "<mimic joint=\"j\" multiplier=\"-2\" offset=\"0.5\"/>") +
            sliding("m", "c", "d", "<mimic joint=\"k\"/>"));
  const auto joints = read(text).joints;
  ASSERT_TRUE(joints[1].mimic && joints[2].mimic);
  EXPECT_EQ(joints[1].mimic->joint, "j");
  EXPECT_EQ(joints[1].mimic->multiplier, -2);
  EXPECT_EQ(joints[1].mimic->offset, 0.5);
  EXPECT_EQ(joints[2].mimic->joint, "k");  // a mimic of a mimic is passed on as it is written
  EXPECT_EQ(joints[2].mimic->multiplier, 1);
  EXPECT_EQ(joints[2].mimic->offset, 0);
  EXPECT_EQ(load_urdf_string(text).nv(), 1);
}

TEST(ReadUrdf, KeepsTheOrderOfTheText) {
  const auto r = read(robot("<link name=\"z\"/><link name=\"a\"/><link name=\"m\"/>" +
                            fixed("y", "z", "a") + fixed("b", "z", "m")));
  EXPECT_EQ(r.links[0].name, "z");
  EXPECT_EQ(r.links[2].name, "m");
  EXPECT_EQ(r.joints[0].name, "y");
}

TEST(ReadUrdf, NamesWithEntitiesAndUnicode) {
  const auto r = read(robot("<link name=\"a &lt;&amp;&quot;&#x2192; \xC3\xA9\"/>"));
  EXPECT_EQ(r.links[0].name, "a <&\"\xE2\x86\x92 \xC3\xA9");
}

TEST(ReadUrdf, WhiteSpaceBeforeANumberAndBetweenNumbers) {
  EXPECT_EQ(read(mass(" 1.5")).links[0].inertial->mass, 1.5);
  expect_near(read(axis("  0   0 1 ")).joints[0].axis, {0, 0, 1});
}

// Warnings

Lines warnings_of(const std::string& xml) {
  Lines warnings;
  read(xml, &warnings);
  return warnings;
}

TEST(ReadUrdf, NormalisesAnAxisWithAWarning) {
  Lines warnings;
  expect_near(read(axis("0 3 4"), &warnings).joints[0].axis, {0, 0.6, 0.8});
  EXPECT_EQ(joined(warnings), axis_fault("(0 3 4), expected a unit vector; it is normalised\n"));
  EXPECT_EQ(joined(warnings_of(axis("0 0 0.5"))),
            axis_fault("(0 0 0.5), expected a unit vector; it is normalised\n"));
  EXPECT_EQ(warnings_of(axis("0 0.7071 0.7071")), Lines{});
  EXPECT_TRUE(any_has(load_urdf_string(axis("0 3 4")).warnings(), "it is normalised"));
}

TEST(ReadUrdf, MissingLimitsAreAWarning) {
  Lines warnings;
  EXPECT_FALSE(read(with_joint("revolute", ""), &warnings).joints[0].limits);
  EXPECT_EQ(joined(warnings),
            "line 4: joint 'elbow': a revolute joint has no <limit>; it is taken as unlimited\n");
  EXPECT_EQ(warnings_of(with_joint("continuous", "")), Lines{});

  warnings.clear();
  const auto limits =
      read(with_joint("prismatic", "<limit lower=\"-1\" upper=\"1\" velocity=\"2\"/>"), &warnings)
          .joints[0]
          .limits;
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->lower, -1);
  EXPECT_EQ(limits->velocity, 2);
  EXPECT_EQ(limits->effort, std::numeric_limits<double>::infinity());
  EXPECT_EQ(joined(warnings),
            "line 5: joint 'elbow': <limit> has no attribute 'effort'; it is taken as unlimited\n");

  const auto no_velocity =
      read(with_joint("prismatic", "<limit lower=\"-1\" upper=\"1\" effort=\"3\"/>"), &warnings)
          .joints[0]
          .limits;
  ASSERT_TRUE(no_velocity);
  EXPECT_EQ(no_velocity->effort, 3);
  EXPECT_EQ(no_velocity->velocity, std::numeric_limits<double>::infinity());
}

TEST(ReadUrdf, OddLimitsAreAWarning) {
  EXPECT_EQ(joined(warnings_of(with_joint(
                "revolute", "<limit lower=\"1\" upper=\"-1\" effort=\"-2\" velocity=\"1\"/>"))),
            "line 5: joint 'elbow': limit effort is negative\n"
            "line 5: joint 'elbow': limit lower is above limit upper\n");
  EXPECT_EQ(warnings_of(with_joint("revolute",
                                   "<limit lower=\"1\" upper=\"1\" effort=\"2\" velocity=\"1\"/>")),
            Lines{});
}

/// Who builds a Model of it is not told twice; a robot that comes without warnings is.
TEST(ReadUrdf, OddLimitsAreWarnedOfOnce) {
  RobotDescription robot =
      read(with_joint("revolute", "<limit lower=\"1\" upper=\"-1\" effort=\"2\" velocity=\"1\"/>"));
  const auto about_limits = [&] {
    Lines lines = build_model(robot).warnings();
    std::erase_if(lines, [](const std::string& line) {
      return line.find("limit lower") == std::string::npos;
    });
    return joined(lines);
  };
  EXPECT_EQ(about_limits(), "line 5: joint 'elbow': limit lower is above limit upper\n");
  robot.warned_of_limits = false;
  robot.warnings.clear();
  EXPECT_EQ(about_limits(), "joint 'elbow': limit lower is above limit upper\n");
}

TEST(ReadUrdf, WhatIsNotKnownIsNamedOnce) {
  EXPECT_EQ(
      joined(warnings_of(robot("<link name=\"a\"><visual><x/></visual><inertail/></link>\n"
                               "<transmission name=\"t\"><joint name=\"x\"/></transmission>"
                               "<gazebo reference=\"a\"/><loop/><loop/>stray"))),
      "line 3: robot: the unknown element 'loop' in <robot> is ignored (2 times in this text)\n"
      "line 3: robot: text between the elements of <robot> is ignored\n"
      "line 2: link 'a': the unknown element 'inertail' in <link> is ignored\n");
  EXPECT_EQ(joined(warnings_of(revolute("<dynamics damping=\"1\" stiffness=\"2\"/>"))),
            "line 5: joint 'elbow': the unknown attribute 'stiffness' of <dynamics> is ignored\n");
  EXPECT_EQ(joined(warnings_of("<!DOCTYPE robot>" + robot("<link name=\"a\"/>"))),
            "line 1: the document type is ignored\n");
}

TEST(LoadUrdf, AMimicWithoutTargetMattersOnlyWhereItIsHonoured) {
  const std::string text = revolute("<mimic joint=\"ghost\"/>");
  ModelOptions options;
  options.mimic = MimicPolicy::independent;
  EXPECT_EQ(load_urdf_string(text, options).nv(), 1);
  EXPECT_TRUE(any_has(warnings_of(text), "joint 'elbow': mimics 'ghost', no joint has that name"));
}

TEST(ReadUrdf, AMimicOfAFixedJointIsAWarning) {
  EXPECT_EQ(joined(warnings_of(with_joint("fixed", "<mimic joint=\"elbow\"/>"))),
            "line 5: joint 'elbow': the <mimic> of a fixed joint is ignored\n");
}

// Locales and threads

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

void expect_numbers_of_any_locale() {
  EXPECT_EQ(read(mass("1234.5")).links[0].inertial->mass, 1234.5);
  EXPECT_TRUE(any_has(faults_in(mass("1234,5")), "expected a number with a decimal point"));
}

TEST(ReadUrdf, IsIndependentOfTheCppLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  expect_numbers_of_any_locale();
  std::locale::global(before);
}

TEST(ReadUrdf, IsIndependentOfTheCLocale) {
  const GermanLocale locale;
  if (!locale.is_there()) GTEST_SKIP() << locale.why_not;
  ASSERT_EQ(std::strtod("1,5", nullptr), 1.5) << "the locale has no decimal comma";
  expect_numbers_of_any_locale();
}

TEST(ReadUrdf, ThreadsDoNotMixTheirWarnings) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&wrong, t] {
      const Lines expected = warnings_of(axis("0 0 2"));
      for (int i = 0; i < 50; ++i) wrong[t] += warnings_of(axis("0 0 2")) != expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

// Our own robots

#ifdef RBD_ROBOTS_DIR
TEST(LoadUrdf, ReadsOurRobotsWithoutAWarning) {
  const std::string directory = RBD_ROBOTS_DIR;
  int robots = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".urdf") continue;
    ++robots;
    EXPECT_EQ(load_urdf(entry.path().string()).warnings(), Lines{}) << entry.path();
  }
  EXPECT_GE(robots, 4);
  EXPECT_EQ(load_urdf(directory + "/pendulum2.urdf").nv(), 2);
  EXPECT_EQ(load_urdf(directory + "/arm7.urdf").nv(), 7);
  EXPECT_EQ(load_urdf(directory + "/gripper.urdf").nv(), 3);  // two of the five joints follow
  ModelOptions floating;
  floating.base = Base::floating;
  EXPECT_EQ(load_urdf(directory + "/quadruped.urdf", floating).nv(), 18);
}
#endif

// urdfdom's own model

TEST(ModelFrom, EqualsTheTextItCameFrom) {
  const std::string text = revolute("<origin xyz=\"1 2 3\"/><axis xyz=\"0 0 1\"/>");
  const auto parsed = urdf::parseURDF(text);
  ASSERT_TRUE(parsed);
  const Model model = model_from(*parsed);
  EXPECT_EQ(model.name(), "r");
  EXPECT_EQ(model.joint_names(), Lines{"elbow"});
  EXPECT_EQ(model.tree(), load_urdf_string(text).tree());
}

TEST(ModelFrom, RefusesWhatUrdfdomLetsThrough) {
  const auto faults = [](const std::function<void(urdf::ModelInterface&)>& spoil) {
    const auto parsed = urdf::parseURDF(revolute("<axis xyz=\"0 0 1\"/>"));
    spoil(*parsed);
    return faults_of([&] { model_from(*parsed); });
  };
  EXPECT_EQ(joined(faults([](auto& m) { m.joints_["elbow"]->type = urdf::Joint::UNKNOWN; })),
            "joint 'elbow': its type is UNKNOWN, expected REVOLUTE, CONTINUOUS, PRISMATIC, FIXED, "
            "FLOATING or PLANAR\n");
  EXPECT_EQ(joined(faults([](auto& m) { m.joints_["elbow"] = nullptr; })),
            "joint 'elbow': is a null pointer, expected a joint\n");
  EXPECT_EQ(joined(faults([](auto& m) { m.links_["ghost"] = nullptr; })),
            "link 'ghost': is a null pointer, expected a link\n");
  EXPECT_TRUE(any_has(faults([](auto& m) { m.joints_["elbow"]->axis.clear(); }), "'elbow': axis"));
  EXPECT_TRUE(any_has(faults([](auto& m) {
                        m.joints_["elbow"]->parent_to_joint_origin_transform.rotation =
                            urdf::Rotation(0, 0, 0, 0);
                      }),
                      "joint 'elbow': origin"));
}

}  // namespace
}  // namespace rbd_parallel_core
