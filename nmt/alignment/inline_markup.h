// Markup inside a sentence: tags and placeholders are removed, the sentence is translated as a
// whole, and they are put back at the words that attention aligns with theirs.
//
//   const MarkedText marked = take_out_markup("Click <b>here</b> to open {0}.");
//   marked.text;                                       // "Click here to open."
//   join(place_markup(marked, source, target, attention));  // "<b>Hier</b> klicken, um {0} ..."
//
// Each tag and placeholder occurs exactly once in the result, and nested pairs of tags stay nested.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/alignment/kept_kinds.h"
#include "nmt/alignment/references.h"
#include "nmt/alignment/word_alignment.h"

namespace dietmt::nmt {

/// Maximum depth of nested elements; deeper tags are points.
inline constexpr size_t kMaxDepth = 100;

/// Whether HTML elements with this name (lower case) have no content and no end tag.
bool is_void_element(const std::string& name);

/// A part of a translation with its markup.
struct MarkedPart {
  std::string text = {};
  bool is_markup = false;
  /// Markup from outside the source text, by its index in MarkedText::marks there. -1: text, or
  /// markup found in the text.
  int32_t mark = -1;
};

/// A removed tag or point: placeholders with the punctuation that belongs to them.
struct InlineMark {
  enum class Kind {
    kOpen,   // <b>
    kClose,  // </b>
    kPoint,  // <br/>, {0}, "{0}", {0}/{1}, , {0}, <b></b>
  };
  /// What was next to it.
  enum class Neighbour { kSpace, kWord, kPunctuation };  // kSpace: also an end of the text
  enum class Place {
    kAligned,  // next to the words aligned with its neighbours
    kStart,    // before all words, as {0} in "{0}: not found"
    kEnd,      // after all words, as {0} in "Error: {0}"
  };

  std::vector<MarkedPart> parts;  // a tag has one
  Kind kind = Kind::kPoint;
  int32_t at = 0;        // byte of the text without markup before which it was
  int32_t partner = -1;  // the mark that closes or opens the same element; -1: none
  Neighbour before = Neighbour::kSpace;
  Neighbour after = Neighbour::kSpace;
  Place place = Place::kAligned;
};

/// A text without its markup, and the markup in order.
struct MarkedText {
  std::string text;
  std::vector<InlineMark> marks;
  Spellings spellings = {};  // of the characters that the source wrote as references
};

/// Removes markup from a text that arrives in parts, and with a placeholder the punctuation that
/// would be left over: quotes and brackets around it, what separates it from the next one, the
/// comma of ", {0}!", and anything attached to it, as in {0}KB and https://{0}/x. Words and
/// sentences separated only by a point, or by a tag such as <p>, get a space between them. Of the
/// spaces on both sides of a point one stays, and none before a full stop.
class MarkupRemoval {
 public:
  void add_text(std::string_view text);
  /// Adds a tag, comment, element that stays as it is, or placeholder.
  void add_mark(MarkedPart raw);

  /// Pairs the tags. The removal is empty afterwards.
  MarkedText finish();

 private:
  MarkedText marked_;
};

/// Finds parts of a text, in order, as views into it.
using FindKept = std::function<std::vector<std::string_view>(std::string_view)>;

/// Removes what `find` finds, but resolves character references. Existing marks stay; each is one
/// part whose syntax determines its kind.
MarkedText take_out_markup(const MarkedText& text, const FindKept& find);
MarkedText take_out_markup(std::string_view text, const FindKept& find);

/// Removes what is kept_in() the text.
MarkedText take_out_markup(const MarkedText& text, KeptKinds kinds = KeptKinds::markup());
MarkedText take_out_markup(std::string_view text, KeptKinds kinds = KeptKinds::markup());

/// Puts the marks into a translation of source.text. An element encloses the run of words that
/// attend most to its words: the run with the largest sum of (share of attention inside the element
/// - 1/2). A word that is partly inside counts as inside. A point goes next to the word aligned
/// with its neighbour, with spaces where it had them. Marks after the last source token, where the
/// text was cut, follow the translation. Words are segments_of() the texts. `attention` is from
/// part_attention().
std::vector<MarkedPart> place_markup(const MarkedText& source,
                                     std::span<const data::TextSpan> source_tokens,
                                     const TokenizedText& target, std::span<const float> attention);

/// Places marks without attention, as if the translation had the source's word order.
std::vector<MarkedPart> place_markup(const MarkedText& source, std::string_view target);

/// The text of the parts, with characters spelled as in the source.
std::string join(std::span<const MarkedPart> parts, const Spellings& spellings = {});

}  // namespace dietmt::nmt
