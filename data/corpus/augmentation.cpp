#include "data/corpus/augmentation.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/random.h"

namespace dietmt::data {
namespace {

const std::vector<std::string> kNoTags;

using TextChange = PairChange::TextChange;

bool has_bytes(const Tokenizer& tokenizer) {
  const std::vector<int32_t> pieces = tokenizer.encode("\U0010FFFD");  // for private use
  return std::ranges::count(pieces, tokenizer.unknown_id()) == 0;
}

/// A side with its text changed; none if it has an unknown piece before or afterwards. Special
/// pieces and a tag before the text stay.
class Rewriting {
 public:
  Rewriting(const Tokenizer& tokenizer, const std::vector<std::string>& tags,
            const TextChange& change)
      : tokenizer_(tokenizer), tags_(tags), change_(change) {}

  std::optional<std::vector<int32_t>> of(std::span<const int32_t> ids) const {
    std::vector<int32_t> made;
    for (size_t begin = 0; begin < ids.size();) {
      size_t end = begin;
      while (end < ids.size() && !is_special(ids[end])) ++end;
      if (end > begin)
        for (const int32_t id : tokenizer_.encode(changed(ids.subspan(begin, end - begin))))
          made.push_back(id);
      if (end < ids.size()) made.push_back(ids[end++]);
      begin = end;
    }
    const auto is_unknown = [&](int32_t id) { return id == tokenizer_.unknown_id(); };
    if (std::ranges::any_of(ids, is_unknown) || std::ranges::any_of(made, is_unknown)) return {};
    return made;
  }

 private:
  bool is_special(int32_t id) const {
    return id == tokenizer_.end_id() || id == tokenizer_.begin_id() ||
           id == tokenizer_.separator_id() || tokenizer_.is_tag(id);
  }

  std::string changed(std::span<const int32_t> ids) const {
    const std::string text = tokenizer_.decode(ids);
    for (const std::string& tag : tags_)
      if (text.starts_with(tag + ' '))
        return tag + ' ' + change_(std::string_view(text).substr(tag.size() + 1));
    return change_(text);
  }

  const Tokenizer& tokenizer_;
  const std::vector<std::string>& tags_;
  const TextChange& change_;
};

}  // namespace

Augmentation::Augmentation(const AugmentationRates& rates, std::shared_ptr<const Tokenizer> source,
                           std::shared_ptr<const Tokenizer> target, std::vector<std::string> tags)
    : rates_(rates),
      source_(std::move(source)),
      target_(std::move(target)),
      tags_(std::move(tags)) {
  for (const auto& tokenizer : {source_, target_})
    if (rates_.noise > 0 && !has_bytes(*tokenizer))
      throw ConfigError("noise has characters that " + tokenizer->file() +
                        " lacks: train tokenizers with --byte-fallback");
}

DrawnPair Augmentation::changed(DrawnPair pair, uint64_t key) const {
  Random random(key);
  const PairChange change = drawn_change(rates_, random);
  if (!change.source) return pair;
  const auto source = Rewriting(*source_, tags_, change.source).of(pair.source);
  const auto target = change.target ? Rewriting(*target_, kNoTags, change.target).of(pair.target)
                                    : std::optional(pair.target);
  return source && target ? DrawnPair{*source, *target} : std::move(pair);
}

}  // namespace dietmt::data
