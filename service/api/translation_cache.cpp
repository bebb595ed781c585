#include "service/api/translation_cache.h"

#include <utility>

#include "service/api/sha256.h"

namespace dietmt::service {
namespace {

// Keeps what follows apart from what comes before.
void add_part(std::string_view part, std::string& key) {
  key += std::to_string(part.size());
  key += ':';
  key += part;
}

std::string written(const std::string& value) { return value; }
template <typename Number>
std::string written(Number value) {
  return std::to_string(value);
}

void add_search(const nmt::SearchOptions& search, std::string& key) {
  for (const nmt::SearchOption& option : nmt::search_option_table()) {
    const auto add = [&](auto field) { add_part(written(search.*field), key); };
    std::visit(add, option.field);
  }
}

void add_glossary(const data::Glossary& glossary, std::string& key) {
  for (const data::GlossaryTerm& term : glossary.terms()) {
    add_part(term.source, key);
    add_part(term.target_text(), key);
  }
}

int64_t bytes_of(const std::string& text) {
  return static_cast<int64_t>(sizeof(text) + text.capacity());
}

template <typename Item>
int64_t bytes_of(const std::vector<Item>& items);

int64_t bytes_of(const nmt::MarkedPart& part) { return 16 + bytes_of(part.text); }
int64_t bytes_of(float) { return sizeof(float); }
int64_t bytes_of(const nmt::WordPair&) { return sizeof(nmt::WordPair); }
int64_t bytes_of(const nmt::LineResult& result) {
  return 32 + bytes_of(result.text) + bytes_of(result.parts) + bytes_of(result.token_scores) +
         bytes_of(result.pieces) + bytes_of(result.missing_terms) +
         bytes_of(result.missing_copies) + bytes_of(result.alignment) + bytes_of(result.attention);
}
int64_t bytes_of(const TranslatedSentence& sentence) {
  return static_cast<int64_t>(sizeof(sentence)) + bytes_of(sentence.before) +
         bytes_of(sentence.line.source) + bytes_of(sentence.line.pivots) +
         bytes_of(sentence.line.pieces) + bytes_of(sentence.translations);
}

int64_t bytes_of(const TextTag::Value& value) { return 24 + bytes_of(value.text); }
int64_t bytes_of(const TextTag& tag) { return bytes_of(tag.markup) + bytes_of(tag.values); }
int64_t bytes_of(const TranslatedText::Attribute& one) { return 16 + bytes_of(one.after); }

template <typename Item>
int64_t bytes_of(const std::vector<Item>& items) {
  int64_t bytes = sizeof(items);
  for (const Item& item : items) bytes += bytes_of(item);
  return bytes;
}

// What answers show of a text; it must not point into a request or a glossary.
TranslatedText without_requests(const TranslatedText& text) {
  TranslatedText shown{
      .sentences = {}, .after = text.after, .tags = text.tags, .attributes = text.attributes};
  for (const TranslatedSentence& sentence : text.sentences) {
    TranslatedSentence& one = shown.sentences.emplace_back();
    one.attribute = sentence.attribute;
    one.before = sentence.before;
    one.line.source = sentence.line.source;
    one.line.pivots = sentence.line.pivots;
    one.line.tokens = sentence.line.tokens;
    one.line.cut_tokens = sentence.line.cut_tokens;
    one.line.pieces = sentence.line.pieces;
    one.guard = sentence.guard;
    one.translations = sentence.translations;
    one.target_tokens = sentence.target_tokens;
  }
  return shown;
}

}  // namespace

std::string TranslationCache::prefix(const ServedPath& models, const TextOptions& options,
                                     const std::string& client) const {
  if (options.search.sample || models.empty()) return "";
  std::string key;
  for (const ServedStep& step : models) {
    add_part(written(step.model->version()), key);
    add_part(step.languages.source, key);
    add_part(step.languages.target, key);
  }
  add_part(is_per_client_ ? client : "", key);
  add_part(options.language, key);
  for (const bool flag :
       {options.html, options.markup, options.split, options.document, options.line.check_copies,
        options.line.pieces, options.line.restores_case})
    key += flag ? '1' : '0';
  add_part(written(static_cast<int>(options.line.alignment)), key);
  add_part(written(static_cast<int>(options.guard)), key);
  add_part(written(options.line.keep.bits()), key);
  add_part(options.line.languages.source_tag, key);
  add_part(options.prefix, key);
  for (const auto* const texts : {&options.context, &options.line.avoid}) {
    add_part(written(texts->size()), key);
    for (const std::string& text : *texts) add_part(text, key);
  }
  add_search(options.search, key);
  if (options.glossary) add_glossary(*options.glossary, key);
  return sha256(key);
}

std::shared_ptr<const TranslatedText> TranslationCache::find(const std::string& prefix,
                                                             const std::string& text) {
  const std::string key = sha256(prefix + text);
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    ++counters_.misses;
    return nullptr;
  }
  ++counters_.hits;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->text;
}

void TranslationCache::add(const std::string& prefix, const std::string& text,
                           const TranslatedText& translated) {
  constexpr int64_t kEntryBytes = 200;  // of the list and the map
  auto shown = std::make_shared<const TranslatedText>(without_requests(translated));
  const int64_t bytes = kEntryBytes + bytes_of(shown->sentences) + bytes_of(shown->after) +
                        bytes_of(shown->tags) + bytes_of(shown->attributes);
  if (bytes > most_bytes_) return;
  const std::string key = sha256(prefix + text);
  const std::lock_guard lock(mutex_);
  if (by_key_.contains(key)) return;
  entries_.push_front({key, std::move(shown), bytes});
  by_key_[key] = entries_.begin();
  counters_.bytes += bytes;
  while (counters_.bytes > most_bytes_) remove_oldest();
}

void TranslationCache::remove_oldest() {
  counters_.bytes -= entries_.back().bytes;
  ++counters_.evicted;
  by_key_.erase(entries_.back().key);
  entries_.pop_back();
}

CacheCounters TranslationCache::counters() const {
  const std::lock_guard lock(mutex_);
  CacheCounters all = counters_;
  all.texts = std::ssize(entries_);
  return all;
}

}  // namespace dietmt::service
