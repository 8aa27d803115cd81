// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "findings.hpp"

/// URDF at the level of characters: limits, markup, entities, numbers. Nothing here knows what a
/// robot is.
namespace rbd_parallel_core::urdf_text {

/// What a text may be at most. The parsers' trees take about 250 bytes for an element or attribute,
/// however short that is in the text, so both the text and the tree are bounded: 3 GB at the worst.
/// 300 000 links with inertias and limits are 110 MB and ten million elements and attributes.
inline constexpr std::size_t max_bytes = std::size_t{128} << 20;
inline constexpr std::size_t max_nodes = 12'000'000;
/// Elements within elements. A link's mesh sits at 5, simulator extensions reach about 15; parsers
/// recurse.
inline constexpr int max_depth = 64;
/// Of one element; parsers compare each with all before it.
inline constexpr std::size_t max_attributes = 1000;

/// Without a UTF-8 byte order mark and white space at the start; skipped lines are added to `line`.
std::string_view without_preamble(std::string_view text, int& line);

/// Checks size, encoding, nesting, repeated attributes and document types by reading the characters
/// once, before any parser that recurses sees them. `first_line` is the number of the text's first
/// line.
void check_markup(std::string_view text, int first_line, Findings& findings);

/// Replaces the five entities of XML and character references. On an unknown or illegal one returns
/// nothing and sets `bad` to it.
std::optional<std::string> decode_entities(std::string_view raw, std::string& bad);

/// XML-escapes for use between double quotes.
std::string escaped(std::string_view text);

/// One number, any locale, as urdfdom reads it: white space before it is skipped, nothing may
/// follow it. On failure returns nothing and sets `expected` to what was expected instead.
std::optional<double> parse_number(std::string_view text, std::string& expected);

/// Three numbers separated by blanks, as urdfdom reads them.
std::optional<std::array<double, 3>> parse_vector(std::string_view text, std::string& expected);

}  // namespace rbd_parallel_core::urdf_text
