// The stops of a line, each a place where a sentence may end.
#pragma once

#include <unicode/uchar.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "data/text/text_characters.h"

namespace dietmt::data {

/// Stops such as ?!, the quotation marks and brackets that close after them, and white space.
struct Place {
  size_t stops = 0;          // where the stops begin
  size_t space = 0;          // where the white space begins
  size_t end = 0;            // where it ends
  size_t count = 0;          // stops
  UChar32 stop = 0;          // the first
  UChar32 closer = 0;        // the last; 0: none
  bool is_full_stop = true;  // or ellipsis: none is ! or the like
  bool is_narrow = true;     // ASCII, which also stands inside URLs and names of files
};

/// Finds the stops of a language in a line and knows what is open at them.
class StopScanner {
 public:
  /// Begins after `marker` bytes.
  StopScanner(std::string_view line, size_t marker, const std::string& language);

  /// Goes on to the end of the next stops or, in Thai, of white space; or to that of the line.
  Place next();

  /// Whether a title in 《》 is open.
  bool is_in_title() const { return is_in_title_; }

 private:
  Character here() const { return first_character_of(line_.substr(at_)); }
  std::string_view rest() const;
  bool is_stop(UChar32 code) const;
  void follow_quotation(UChar32 code);
  Place place_of_stops();
  bool closes_after_space(UChar32 code) const;
  void pass_closers(Place& place);
  void pass_space(Place& place);
  bool stands_apart() const;

  const std::string_view line_;
  const bool is_greek_;
  const bool is_thai_;
  const bool is_armenian_;
  size_t at_;
  bool is_quoted_ = false;
  bool is_in_title_ = false;
};

}  // namespace dietmt::data
