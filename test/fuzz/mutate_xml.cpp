// SPDX-License-Identifier: Apache-2.0
//
// Changes of a URDF that keep it XML: bytes changed at random are refused by the parser nearly
// always, and what comes after it would hardly be reached.

#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

class XmlMutator {
 public:
  XmlMutator(tinyxml2::XMLDocument& document, unsigned seed) : document_(document), random_(seed) {
    for (XMLElement* e = document.FirstChildElement(); e; e = e->NextSiblingElement()) collect(e);
  }

  void mutate() {
    XMLElement* element = any(elements_);
    switch (below(6)) {
      case 0:
        if (element->Parent() != &document_) element->Parent()->DeleteChild(element);
        break;
      case 1:
        any(elements_)->InsertEndChild(element->DeepClone(&document_));
        break;
      case 2:
        element->SetName(any(elements_)->Name());
        break;
      case 3:
        if (attributes_.empty()) break;
        element->SetAttribute(any(attributes_).first.c_str(), any(attributes_).second.c_str());
        break;
      case 4:
        if (const XMLAttribute* first = element->FirstAttribute())
          element->DeleteAttribute(first->Name());
        break;
      default:
        if (attributes_.empty()) break;
        element->SetAttribute(any(attributes_).first.c_str(), odd_value());
    }
  }

  bool empty() const { return elements_.empty(); }

 private:
  void collect(XMLElement* element) {
    elements_.push_back(element);
    for (const XMLAttribute* a = element->FirstAttribute(); a; a = a->Next()) {
      attributes_.emplace_back(a->Name(), a->Value());
    }
    for (XMLElement* e = element->FirstChildElement(); e; e = e->NextSiblingElement()) collect(e);
  }

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  template <class T>
  const T& any(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  const char* odd_value() {
    static constexpr std::array values{
        "",         "0",         "-1",          "1e-320",    "1e308",     "-1e308",
        "nan",      "inf",       "1,5",         "0 0 0",     "0 0 1",     "1 1e-9 0",
        "0 0 -1",   "1e160 0 0", "3.14159 0 0", "0 0",       "fixed",     "planar",
        "floating", "revolute",  "continuous",  "prismatic", "spherical", "\t1 "};
    return values[below(values.size())];
  }

  tinyxml2::XMLDocument& document_;
  std::minstd_rand random_;
  std::vector<XMLElement*> elements_;
  std::vector<std::pair<std::string, std::string>> attributes_;
};

/// "" where the text is no XML or the result is too long.
std::string mutated(const char* text, std::size_t size, std::size_t max_size, unsigned seed) {
  tinyxml2::XMLDocument document;
  if (document.Parse(text, size) != tinyxml2::XML_SUCCESS) return "";
  XmlMutator mutator(document, seed);
  if (mutator.empty()) return "";
  mutator.mutate();
  tinyxml2::XMLPrinter printer(nullptr, true);
  document.Print(&printer);
  std::string out(printer.CStr());
  return out.size() <= max_size ? out : "";
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  constexpr std::size_t largest = 100'000;  // above it parsing would take most of the time
  if (seed % 4 != 0 && size > 0 && size < largest) {
    const std::string text = mutated(reinterpret_cast<const char*>(data), size, max_size, seed);
    if (!text.empty()) {
      std::memcpy(data, text.data(), text.size());
      return text.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
