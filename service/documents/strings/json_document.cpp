// JSON: strings that are no keys. ARB, the catalogues of Flutter: without the objects about
// messages.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/json_fields.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/values_document.h"

namespace dietmt::service {
namespace {

enum class JsonDialect { kAny, kArb };

// Positions come from the text itself, which the library has checked up to the next string.
class JsonDocument final : public ValuesDocument, private nlohmann::json_sax<nlohmann::json> {
 public:
  JsonDocument(std::string_view bytes, JsonDialect dialect, std::string language)
      : ValuesDocument(bytes),
        dialect_(dialect),
        language_(std::move(language)),
        writes_ascii_(text().find("\\u") != std::string::npos &&
                      std::ranges::none_of(text(), [](char c) { return c < 0; })) {
    using Sax = nlohmann::json_sax<nlohmann::json>;
    nlohmann::json::sax_parse(text(), static_cast<Sax*>(this), nlohmann::json::input_format_t::json,
                              true, true);
    finish();
  }

 private:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }

  bool start_object(size_t /*size*/) override { return enter(); }
  bool start_array(size_t /*size*/) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool key(string_t& name) override {
    pass_string();
    key_ = name;
    return true;
  }

  bool string(string_t& value) override {
    const auto [begin, end] = pass_string();
    if (skipped_depth_ > 0) return true;
    if (is_about_messages(1)) {
      if (key_ == "@@locale") replace(begin, end, encoded(language_));
      return true;
    }
    add_value(begin, end, {.text = value, .marks = {}},
              [this](const std::string& text) { return encoded(text); });
    return true;
  }

  bool parse_error(size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    const std::string problem = json_problem(error);
    fail(std::min(position, text().size()), "the JSON is damaged: " + problem);
  }

  bool enter() {
    ++depth_;
    if (is_about_messages(2) || skipped_depth_ > 0) ++skipped_depth_;
    return true;
  }

  bool is_about_messages(size_t depth) const {
    return dialect_ == JsonDialect::kArb && depth_ == depth && key_.starts_with('@');
  }

  bool leave() {
    --depth_;
    if (skipped_depth_ > 0) --skipped_depth_;
    return true;
  }

  // Moves past the next string, also past comments before it. Returns its bytes with the quotes.
  std::pair<size_t, size_t> pass_string() {
    const std::string& json = text();
    while (json[at_] != '"') {
      if (json.compare(at_, 2, "//") == 0)
        at_ = json.find('\n', at_);
      else if (json.compare(at_, 2, "/*") == 0)
        at_ = json.find("*/", at_ + 2) + 1;
      ++at_;
    }
    const size_t begin = at_++;
    for (; json[at_] != '"'; ++at_)
      if (json[at_] == '\\') ++at_;
    return {begin, ++at_};
  }

  std::string encoded(const std::string& text) const {
    return nlohmann::json(text).dump(-1, ' ', writes_ascii_,
                                     nlohmann::json::error_handler_t::replace);
  }

  JsonDialect dialect_;
  std::string language_;
  bool writes_ascii_;
  size_t at_ = 0;
  size_t depth_ = 0;
  size_t skipped_depth_ = 0;  // levels of a value that is left out
  std::string key_;
};

}  // namespace

std::unique_ptr<Document> open_json(std::string_view bytes) {
  return std::make_unique<JsonDocument>(bytes, JsonDialect::kAny, "");
}

std::unique_ptr<Document> open_arb(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<JsonDocument>(bytes, JsonDialect::kArb, options.target);
}

}  // namespace dietmt::service
