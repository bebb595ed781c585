// Pairs from translation memories (TMX), unit by unit: neither the file nor its tree is in memory.
#include <libxml/xmlreader.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "common/byte_reader.h"
#include "common/error.h"
#include "data/cleaning/pair_source.h"
#include "data/languages/detection.h"

namespace dietmt::data {
namespace {

struct FreeReader {
  void operator()(xmlTextReader* reader) const { xmlFreeTextReader(reader); }
};

std::string text_of(const xmlChar* text) {
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

// The name without a namespace.
std::string_view local_name(xmlTextReader* reader) {
  const xmlChar* const name = xmlTextReaderConstLocalName(reader);
  return name == nullptr ? "" : reinterpret_cast<const char*>(name);
}

// Elements of a segment that hold markup of another format instead of text.
bool holds_markup(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"bpt", "ept", "ph", "it", "ut", "sub"};
  return std::ranges::find(kNames, name) != kNames.end();
}

class TmxSource final : public PairSource {
 public:
  TmxSource(const std::string& file, std::string source, std::string target)
      : bytes_(file), source_(std::move(source)), target_(std::move(target)) {
    reader_.reset(xmlReaderForIO(read, nullptr, this, nullptr, nullptr,
                                 XML_PARSE_NONET | XML_PARSE_NOWARNING | XML_PARSE_NOERROR));
    if (!reader_) throw DataError(bytes_.name() + ": cannot be read as XML");
    // The types of the error differ between versions of libxml2.
    xmlTextReaderSetStructuredErrorHandler(
        reader_.get(),
        [](void* self, auto* error) { static_cast<TmxSource*>(self)->note(error->message); }, this);
  }

  bool next(RawPairs& pairs) override {
    while (read_node()) {
      if (!ends_unit_) continue;
      ends_unit_ = false;
      const auto [source, target] = std::exchange(sides_, {});
      pairs.add(source.value_or(""), target.value_or(""), !source || !target);
      return true;
    }
    if (!is_tmx_) throw DataError(bytes_.name() + ": is not TMX: its root is not <tmx>");
    return false;
  }

 private:
  using Side = std::optional<std::string>;

  // For libxml2, which exceptions must not cross.
  static int read(void* source, char* buffer, int size) {
    auto& self = *static_cast<TmxSource*>(source);
    while (self.position_ == self.text_.size()) {
      if (self.bytes_.at_end()) return 0;
      self.text_.clear();
      self.position_ = 0;
      self.problem_ = self.bytes_.append_to(self.text_);
      if (!self.problem_.empty()) return -1;
    }
    const size_t count = std::min(static_cast<size_t>(size), self.text_.size() - self.position_);
    std::memcpy(buffer, self.text_.data() + self.position_, count);
    self.position_ += count;
    return static_cast<int>(count);
  }

  bool read_node() {
    const int found = xmlTextReaderRead(reader_.get());
    if (found < 0) fail();
    if (found == 0) return false;
    const int type = xmlTextReaderNodeType(reader_.get());
    if (type == XML_READER_TYPE_ELEMENT)
      begin(local_name(reader_.get()));
    else if (type == XML_READER_TYPE_END_ELEMENT)
      end(local_name(reader_.get()));
    else if (in_segment_ && markup_depth_ == 0 &&
             (type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA ||
              type == XML_READER_TYPE_SIGNIFICANT_WHITESPACE || type == XML_READER_TYPE_WHITESPACE))
      segment_ += text_of(xmlTextReaderConstValue(reader_.get()));
    return true;
  }

  [[noreturn]] void fail() const {
    const int line = xmlTextReaderGetParserLineNumber(reader_.get());
    const std::string where = bytes_.name() + ":" + std::to_string(line) + ": ";
    if (!problem_.empty()) throw DataError(where + "cannot be read: " + problem_);
    throw DataError(where + "is not well-formed XML: " + error_);
  }

  // The first problem; others follow from it.
  void note(const char* message) {
    if (!error_.empty() || message == nullptr) return;
    error_ = message;
    while (error_.ends_with('\n')) error_.pop_back();
  }

  void begin(std::string_view name) {
    const bool is_empty = xmlTextReaderIsEmptyElement(reader_.get()) != 0;
    if (xmlTextReaderDepth(reader_.get()) == 0) is_tmx_ = name == "tmx";
    if (name == "tu") {
      sides_ = {};
      ends_unit_ = is_empty;
    } else if (name == "tuv") {
      variant_ = attribute("xml:lang");
      if (variant_.empty()) variant_ = attribute("lang");
    } else if (name == "seg") {
      segment_.clear();
      in_segment_ = !is_empty;
      if (is_empty) end("seg");
    } else if (in_segment_ && holds_markup(name) && !is_empty) {
      ++markup_depth_;
    }
  }

  void end(std::string_view name) {
    if (name == "seg") {
      in_segment_ = false;
      markup_depth_ = 0;
      std::ranges::replace(segment_, '\n', ' ');
      for (const auto& [language, side] :
           {std::pair(&source_, &sides_.first), std::pair(&target_, &sides_.second)})
        if (!side->has_value() && is_same_language(variant_, *language)) *side = segment_;
    } else if (name == "tu") {
      ends_unit_ = true;
    } else if (in_segment_ && markup_depth_ > 0 && holds_markup(name)) {
      --markup_depth_;
    }
  }

  std::string attribute(const char* name) const {
    xmlChar* const value =
        xmlTextReaderGetAttribute(reader_.get(), reinterpret_cast<const xmlChar*>(name));
    std::string text = text_of(value);
    xmlFree(value);
    return text;
  }

  ByteReader bytes_;
  std::string source_, target_;  // languages
  std::unique_ptr<xmlTextReader, FreeReader> reader_;
  std::string text_;  // read, but only up to position_ by libxml2
  size_t position_ = 0;
  std::string problem_;  // of reading
  std::string error_;    // of XML
  bool is_tmx_ = false;
  bool ends_unit_ = false;
  std::pair<Side, Side> sides_;  // of the unit
  std::string variant_;          // language
  std::string segment_;
  bool in_segment_ = false;
  int markup_depth_ = 0;  // elements around the text that hold markup
};

}  // namespace

std::unique_ptr<PairSource> open_tmx(const std::string& file, const std::string& source,
                                     const std::string& target) {
  return std::make_unique<TmxSource>(file, source, target);
}

}  // namespace dietmt::data
