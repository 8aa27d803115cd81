// SPDX-License-Identifier: Apache-2.0
#include "chain.hpp"

#include <iomanip>
#include <limits>
#include <sstream>

namespace rbd_bench {
namespace {

// Names sort as they are numbered, because some parsers order children by name.
std::string numbered(const char* prefix, std::size_t i) {
  std::ostringstream out;
  out << prefix << std::setw(4) << std::setfill('0') << i;
  return out.str();
}

void write_link(std::ostream& out, const std::string& name) {
  constexpr double kRadius = 0.05;
  constexpr double kAlong = kRadius * kRadius;
  constexpr double kAcross = (1.0 + 6.0 * kRadius * kRadius) / 12.0;
  out << "<link name=\"" << name << "\"><inertial><origin xyz=\"0.5 0 0\"/><mass value=\"1\"/>"
      << "<inertia ixx=\"" << kAlong << "\" iyy=\"" << kAcross << "\" izz=\"" << kAcross
      << "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n";
}

void write_joint(std::ostream& out, std::size_t i, const std::string& parent, double skew) {
  out << "<joint name=\"" << numbered("joint", i) << "\" type=\"revolute\"><parent link=\""
      << parent << "\"/><child link=\"" << numbered("link", i) << "\"/><origin xyz=\""
      << (i == 0 ? 0 : 1) << " 0 0\" rpy=\"" << (i == 0 ? 0.0 : skew)
      << " 0 0\"/><axis xyz=\"0 0 1\"/>"
      << "<limit lower=\"-4\" upper=\"4\" effort=\"1000\" velocity=\"100\"/></joint>\n";
}

}  // namespace

std::string chain_urdf(std::size_t bodies, double skew) {
  std::ostringstream out;
  out << std::setprecision(std::numeric_limits<double>::max_digits10);
  out << "<robot name=\"chain" << bodies << "\">\n<link name=\"base\"/>\n";
  for (std::size_t i = 0; i < bodies; ++i) {
    write_link(out, numbered("link", i));
    write_joint(out, i, i == 0 ? "base" : numbered("link", i - 1), skew);
  }
  out << "</robot>\n";
  return out.str();
}

}  // namespace rbd_bench
