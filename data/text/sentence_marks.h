// What characters and words look like around the end of a sentence.
#pragma once

#include <unicode/uchar.h>

#include <cstddef>
#include <string_view>

namespace dietmt::data {

/// How far to look around a stop, in bytes: more would decide nothing, and the cost must not depend
/// on the text around it.
constexpr size_t kSentenceReach = 64;

bool is_one_of(UChar32 code, std::u32string_view set);

/// The property of Unicode annex 29.
USentenceBreak class_of(UChar32 code);
bool is_stop_class(USentenceBreak type);

bool is_quotation_mark(UChar32 code);

/// Brackets and quotation marks that can close, and * and _ of Markdown.
bool is_closer(UChar32 code);

std::string_view word_at_start(std::string_view text);

/// The word before the end of `text` with the full stops, hyphens excluded, that are inside.
std::string_view word_at_end(std::string_view text);

bool is_single(std::string_view word);

/// One or two letters between full stops, as in U.S, Ph.D and p.m.
bool is_dotted(std::string_view word);

/// Four letters or more, all small: most abbreviations are shorter or in the tables.
bool is_plain(std::string_view word);

bool is_number(std::string_view word);
bool is_roman(std::string_view word);

}  // namespace dietmt::data
