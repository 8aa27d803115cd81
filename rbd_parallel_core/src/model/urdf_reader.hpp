// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "findings.hpp"

namespace tinyxml2 {
class XMLElement;
}

namespace rbd_parallel_core {

/// Reads the attributes and children of one XML element; what is missing or wrong becomes a fault
/// with the line and with `who` the element belongs to.
class UrdfReader {
 public:
  using Element = tinyxml2::XMLElement;
  using Names = std::initializer_list<std::string_view>;

  UrdfReader(const Element& element, std::string who, Findings& findings)
      : element_(element), who_(std::move(who)), findings_(findings) {}
  /// Of a child of this element, for the same `who`.
  UrdfReader of(const Element& child) const { return {child, who_, findings_}; }

  int line() const;
  std::string tag() const;
  void fault(std::string_view what) const { findings_.fault(line(), who_, what); }
  void warning(std::string_view what) const { findings_.warning(line(), who_, what); }
  void ignored(const std::string& what) const { findings_.ignored(line(), who_, what); }

  bool has(const char* attribute) const;
  /// The attribute with its entities replaced; nothing if it is missing (without a word) or bad.
  std::optional<std::string> attribute(const char* name) const;
  std::optional<std::string> required_attribute(const char* name) const;
  /// A name that something else refers to.
  std::optional<std::string> name_attribute(const char* name) const;

  /// A number, and its digits as they are written.
  struct Number {
    double value;
    std::string text;
  };
  /// `label` is how messages call it.
  std::optional<Number> number(const char* name, const std::string& label) const;

  struct Vector {
    std::array<double, 3> values;
    std::string text;  ///< the numbers as they are written, separated by single blanks
  };
  std::optional<Vector> vector(const char* name, const std::string& label) const;

  /// The only child of that name, or null; a second one is a fault, since readers would pick one.
  const Element* child(const char* name) const;

  /// Nothing is dropped in silence: what is not known is named. `ignored` is known to be of no
  /// concern.
  void expect_children(const Names& read, const Names& ignored = {}) const;
  void expect_attributes(const Names& read) const;

 private:
  const Element& element_;
  std::string who_;
  Findings& findings_;
};

}  // namespace rbd_parallel_core
