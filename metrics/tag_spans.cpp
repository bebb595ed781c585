#include "metrics/tag_spans.h"

#include <algorithm>
#include <string_view>

#include "common/error.h"
#include "common/utf8.h"

namespace dietmt::metrics {
namespace {

// A tag's place in its entity, by the letters of IOBES, and the type of the entity.
struct TagParts {
  char place = 'O';  // any other letter is inside
  std::string_view type = {};
};

TagParts tag_parts(std::string_view tag) {
  if (tag.empty()) throw Error("a tag is empty");
  size_t begin = 1;
  while (begin < tag.size() && continues_character(tag[begin])) ++begin;
  const std::string_view rest = tag.substr(begin);
  const std::string_view type = rest.substr(rest.find('-') + 1);  // npos + 1 = 0
  return {tag[0], type.empty() ? std::string_view("_") : type};
}

bool one_of(char place, std::string_view places) { return places.find(place) != places.npos; }

bool is_outside(char place) { return one_of(place, "O."); }

bool ends_entity(const TagParts& before, const TagParts& now) {
  if (one_of(before.place, "ES")) return true;
  if (one_of(before.place, "BI") && one_of(now.place, "BSO")) return true;
  return !is_outside(before.place) && before.type != now.type;
}

bool begins_entity(const TagParts& before, const TagParts& now) {
  if (one_of(now.place, "BS")) return true;
  if (one_of(before.place, "ESO") && one_of(now.place, "EI")) return true;
  return !is_outside(now.place) && before.type != now.type;
}

void require_equal_sizes(const TaggedSentences& predicted, const TaggedSentences& gold) {
  if (predicted.size() != gold.size())
    throw Error(std::to_string(predicted.size()) + " tagged sentences, expected " +
                std::to_string(gold.size()));
  for (size_t s = 0; s < gold.size(); ++s)
    if (predicted[s].size() != gold[s].size())
      throw Error("sentence " + std::to_string(s + 1) + " has " +
                  std::to_string(predicted[s].size()) + " tags, expected " +
                  std::to_string(gold[s].size()));
}

}  // namespace

// seqeval joins the sentences with an O after each, and keeps the beginning of the last entity:
// a tag without type after O ("X") neither begins nor ends one.
std::vector<TagSpan> tag_spans(const TaggedSentences& sentences) {
  std::vector<TagSpan> spans;
  TagParts before;
  size_t begin = 0, place = 0;
  const auto add = [&](const TagParts& now) {
    if (ends_entity(before, now)) spans.push_back({std::string(before.type), begin, place - 1});
    if (begins_entity(before, now)) begin = place;
    before = now;
    ++place;
  };
  for (const std::vector<std::string>& sentence : sentences) {
    for (const std::string& tag : sentence) add(tag_parts(tag));
    add(tag_parts("O"));
  }
  return spans;
}

double span_f1(const TaggedSentences& predicted, const TaggedSentences& gold) {
  require_equal_sizes(predicted, gold);
  const std::vector<TagSpan> found = tag_spans(predicted), wanted = tag_spans(gold);
  size_t right = 0;
  for (auto one = found.begin(), other = wanted.begin();
       one != found.end() && other != wanted.end();) {
    if (*one == *other) ++right;
    const bool earlier = one->end <= other->end;
    if (other->end <= one->end) ++other;
    if (earlier) ++one;
  }
  if (right == 0) return 0.0;
  return 2.0 * static_cast<double>(right) / static_cast<double>(found.size() + wanted.size());
}

double tag_accuracy(const TaggedSentences& predicted, const TaggedSentences& gold) {
  require_equal_sizes(predicted, gold);
  int64_t words = 0, right = 0;
  for (size_t s = 0; s < gold.size(); ++s) {
    words += std::ssize(gold[s]);
    for (size_t w = 0; w < gold[s].size(); ++w) right += predicted[s][w] == gold[s][w] ? 1 : 0;
  }
  if (words == 0) throw Error("there are no tagged words");
  return static_cast<double>(right) / static_cast<double>(words);
}

}  // namespace dietmt::metrics
