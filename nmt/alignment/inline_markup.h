// Markup inside a sentence: tags and placeholders are taken out, the sentence is translated as a
// whole, and they go back to the words that the attention aligns with theirs.
//
//   const MarkedText marked = take_out_markup("Click <b>here</b> to open {0}.");
//   marked.text;                                       // "Click here to open."
//   join(place_markup(marked, source, target, attention));  // "<b>Hier</b> klicken, um {0} ..."
//
// Each tag and placeholder is in the result exactly once, and pairs of tags that were nested stay
// nested.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/alignment/references.h"
#include "nmt/alignment/word_alignment.h"

namespace dietmt::nmt {

/// The most elements inside each other; tags of deeper ones are points.
inline constexpr size_t kMaxDepth = 100;

/// Whether elements of HTML with this name, in lower case, have no content and no end tag.
bool is_void_element(const std::string& name);

/// A part of a translation with its markup.
struct MarkedPart {
  std::string text = {};
  bool is_markup = false;
  /// Markup that came with the source outside of its text, by its place among MarkedText::marks
  /// there. -1: text, or markup that was found in it.
  int32_t mark = -1;
};

/// A tag that was taken out, or a point: placeholders with the punctuation that belongs to them.
struct InlineMark {
  enum class Kind {
    kOpen,   // <b>
    kClose,  // </b>
    kPoint,  // <br/>, {0}, "{0}", {0}/{1}, , {0}, <b></b>
  };
  /// What stood next to it.
  enum class Neighbour { kSpace, kWord, kPunctuation };  // kSpace: also an end of the text
  enum class Place {
    kAligned,  // beside the words aligned with its neighbours
    kStart,    // in front of all words, as {0} in "{0}: not found"
    kEnd,      // behind all words, as {0} in "Error: {0}"
  };

  std::vector<MarkedPart> parts;  // of a tag one
  Kind kind = Kind::kPoint;
  int32_t at = 0;        // the byte of the text without markup before which it stood
  int32_t partner = -1;  // the mark that closes or opens the same element; -1: none
  Neighbour before = Neighbour::kSpace;
  Neighbour after = Neighbour::kSpace;
  Place place = Place::kAligned;
};

/// A text without its markup, and the markup in its order.
struct MarkedText {
  std::string text;
  std::vector<InlineMark> marks;
  Spellings spellings = {};  // of the characters that the source wrote as references
};

/// Takes markup out of a text that arrives in parts, and with a placeholder the punctuation that
/// would be left over: quotes and brackets around it, what stands between it and the next one, the
/// comma of ", {0}!", and what is written together with it, as in {0}KB and https://{0}/x. Words
/// and sentences that only a point, or a tag such as <p>, kept apart get a space between them; of
/// the spaces on both sides of a point one stays, and none before a full stop.
class MarkupRemoval {
 public:
  void add_text(std::string_view text);
  /// One tag, comment, element that stays as it is, or placeholder.
  void add_mark(MarkedPart raw);

  /// Finds the pairs of tags. The removal is empty afterwards.
  MarkedText finish();

 private:
  MarkedText marked_;
};

/// Takes out all of placeholders_in() a text, but resolves references to characters. Keeps the
/// marks that it has; each is one part, whose syntax tells its kind.
MarkedText take_out_markup(const MarkedText& text);
MarkedText take_out_markup(std::string_view text);

/// Puts the marks into a translation of source.text. An element goes around the run of words whose
/// attention falls most on its words: the run with the largest sum of (share of attention inside
/// the element - 1/2); a word of which it has only a part counts as its own. A point goes beside
/// the word that is aligned with its neighbour, with spaces where it had them. Marks behind the
/// last source token, where the text was cut, come after the translation. Words are segments_of()
/// the texts. `attention` is that of part_attention().
std::vector<MarkedPart> place_markup(const MarkedText& source,
                                     std::span<const data::TextSpan> source_tokens,
                                     const TokenizedText& target, std::span<const float> attention);

/// The same for a translation without attention, as if its words were in the order of the source.
std::vector<MarkedPart> place_markup(const MarkedText& source, std::string_view target);

/// The text of the parts. Characters of its text are written as the source wrote them.
std::string join(std::span<const MarkedPart> parts, const Spellings& spellings = {});

}  // namespace dietmt::nmt
