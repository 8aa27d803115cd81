// SPDX-License-Identifier: Apache-2.0
#include "urdf_reader.hpp"

#include <tinyxml2.h>

#include <algorithm>

#include "message_text.hpp"
#include "urdf_text.hpp"
#include "utf8.hpp"

namespace rbd_parallel_core {
namespace {

constexpr const char* white_space = " \t\n\v\f\r";

bool contains(const UrdfReader::Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string single_spaced(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = text.find_first_not_of(white_space, i);
    if (start == std::string::npos) break;
    i = std::min(text.find_first_of(white_space, start), text.size());
    out.append(out.empty() ? "" : " ").append(text, start, i - start);
  }
  return out;
}

}  // namespace

int UrdfReader::line() const { return element_.GetLineNum(); }
std::string UrdfReader::tag() const { return element_.Name(); }
bool UrdfReader::has(const char* attribute) const {
  return element_.Attribute(attribute) != nullptr;
}

std::optional<std::string> UrdfReader::attribute(const char* name) const {
  const char* raw = element_.Attribute(name);
  if (raw == nullptr) return std::nullopt;
  std::string bad;
  auto value = urdf_text::decode_entities(raw, bad);
  if (!value) {
    fault(std::string(name) + " has the entity " + shown(bad) +
          ", expected one of &amp; &lt; &gt; &quot; &apos; or a character reference");
  } else if (!is_utf8(*value)) {
    fault(std::string(name) + " is " + shown(*value) + ", which is not UTF-8");
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> UrdfReader::required_attribute(const char* name) const {
  if (has(name)) return attribute(name);
  fault("<" + tag() + "> has no attribute '" + name + "'");
  return std::nullopt;
}

std::optional<std::string> UrdfReader::name_attribute(const char* name) const {
  auto value = required_attribute(name);
  if (!value) return value;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  const std::string called = "attribute '" + std::string(name) + "' of <" + tag() + "> is ";
  if (value->empty()) {
    fault(called + "empty, expected a name");
    return std::nullopt;
  }
  if (std::any_of(value->begin(), value->end(), is_control)) {
    fault(called + shown(*value) + ", expected a name without control characters");
    return std::nullopt;
  }
  return value;
}

std::optional<UrdfReader::Number> UrdfReader::number(const char* name,
                                                     const std::string& label) const {
  const auto text = required_attribute(name);
  if (!text) return std::nullopt;
  std::string expected;
  const auto value = urdf_text::parse_number(*text, expected);
  if (value) return Number{*value, text->substr(text->find_first_not_of(white_space))};
  fault(label + " is " + shown(*text) + ", " + expected);
  return std::nullopt;
}

std::optional<UrdfReader::Vector> UrdfReader::vector(const char* name,
                                                     const std::string& label) const {
  const auto text = required_attribute(name);
  if (!text) return std::nullopt;
  std::string expected;
  const auto values = urdf_text::parse_vector(*text, expected);
  if (values) return Vector{*values, single_spaced(*text)};
  fault(label + " is " + shown(*text) + ", " + expected);
  return std::nullopt;
}

const UrdfReader::Element* UrdfReader::child(const char* name) const {
  const Element* first = element_.FirstChildElement(name);
  if (first != nullptr && first->NextSiblingElement(name) != nullptr) {
    findings_.fault(first->NextSiblingElement(name)->GetLineNum(), who_,
                    "a second <" + std::string(name) + ">, expected one");
  }
  return first;
}

void UrdfReader::expect_children(const Names& read, const Names& ignored) const {
  for (const auto* node = element_.FirstChild(); node != nullptr; node = node->NextSibling()) {
    if (node->ToText() != nullptr) {
      findings_.ignored(node->GetLineNum(), who_, "text between the elements of <" + tag() + ">");
    }
    const Element* child = node->ToElement();
    if (child == nullptr) continue;
    const std::string_view name = child->Name();
    if (name.starts_with("xacro:")) {
      findings_.fault(child->GetLineNum(), who_,
                      "the element " + shown(name) + " is xacro, expected URDF: run xacro first");
    } else if (!contains(read, name) && !contains(ignored, name)) {
      findings_.ignored(child->GetLineNum(), who_,
                        "the unknown element " + shown(name) + " in <" + tag() + ">");
    }
  }
}

void UrdfReader::expect_attributes(const Names& read) const {
  for (const auto* a = element_.FirstAttribute(); a != nullptr; a = a->Next()) {
    const std::string_view name = a->Name();
    if (name.starts_with("xml") || contains(read, name)) continue;
    findings_.ignored(a->GetLineNum(), who_,
                      "the unknown attribute " + shown(name) + " of <" + tag() + ">");
  }
}

}  // namespace rbd_parallel_core
