// The fields of a request's body (JSON, URL-encoded or multipart), their limits, and the decoding
// options among them.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nmt/alignment/kept_kinds.h"
#include "nmt/search/search_options.h"
#include "nmt/translation/output_guard.h"
#include "service/api/call.h"

namespace dietmt::service {

/// Limit on values in a body, which may take 50 times the memory of their text; 413 if exceeded.
constexpr int64_t kMaxValues = 100'000;

/// Limits on a request. The error of a refused request names the limit.
struct ServiceLimits {
  int64_t characters = 200'000;  // Unicode characters in all texts of a request
  int64_t texts = 1000;          // per request
  int64_t body_bytes = 4 * 1024 * 1024;
  int64_t beam = 32;                           // also for nbest
  double length_factor = 10.0;                 // for max_length_factor
  int64_t length_offset = 1000;                // for max_length_offset and min_length
  std::chrono::milliseconds deadline{60'000};  // from a request's arrival to its answer
  nmt::Guard guard = nmt::Guard::kRetry;       // against degenerate translations
  bool markup = false;  // tags and placeholders of plain texts move with their words, unless a
                        // request says otherwise
  nmt::KeptKinds keep =
      nmt::KeptKinds::plain();  // what translations must contain as their texts do
  bool restores_case = false;   // of lines in capitals or title case
};

/// Throws HttpError 400 with the field's name for wrong types and missing fields.
class Fields {
 public:
  /// The fields of body and query, as LibreTranslate reads them: a field in the body hides those in
  /// the query, and strings may stand for numbers and flags. Throws HttpError: 400 for invalid JSON
  /// (with line and column), JSON that is not an object, and invalid UTF-8 (with the byte); 413 for
  /// too many values; 415 for other content types.
  explicit Fields(const Call& call);

  /// The fields of a JSON object.
  explicit Fields(nlohmann::json object) : values_(std::move(object)) {}

  /// The fields of the body only, strictly: 415 for anything but JSON, and strings do not count as
  /// numbers.
  static Fields of_json(const Call& call);

  bool has(const std::string& name) const;
  std::string text(const std::string& name) const;
  std::string text_or(const std::string& name, const std::string& otherwise) const;
  bool flag_or(const std::string& name, bool otherwise) const;
  double number_or(const std::string& name, double otherwise) const;

  /// Also refuses values outside least .. most.
  int64_t integer_or(const std::string& name, int64_t otherwise, int64_t least, int64_t most) const;

  /// A string or a list of strings.
  std::vector<std::string> texts(const std::string& name) const;
  bool is_list(const std::string& name) const;
  /// The field as JSON.
  const nlohmann::json& value(const std::string& name) const { return required(name); }
  bool is_text(const std::string& name) const;

  /// The members of an object, whose values must be strings.
  std::vector<std::pair<std::string, std::string>> text_members(const std::string& name) const;
  bool is_object(const std::string& name) const;

  /// Throws HttpError for the first field with another name, except `api_key`, which the router has
  /// read.
  void allow_only(const std::vector<std::string_view>& names) const;

 private:
  const nlohmann::json& required(const std::string& name) const;
  void check_key() const;

  nlohmann::json values_ = nlohmann::json::object();
  bool strings_count_ = false;  // as numbers and flags
};

/// The options of nmt::search_option_table() that requests have, with the limits as their ranges.
std::vector<nmt::SearchOption> decoding_fields(const ServiceLimits& limits);

/// The names of those, and `more`.
std::vector<std::string_view> with_decoding_fields(std::vector<std::string_view> more);

/// Those that are not given: the model's `own`, or the usual ones, within the limits.
nmt::SearchOptions default_search(const ServiceLimits& limits, const nmt::SearchDefaults& own = {});

/// Whether `check` is copies. Throws HttpError 400 for anything except that and none.
bool checks_copies(const Fields& fields);

/// Field `keep`: what translations must contain as their texts do. Throws HttpError 400.
nmt::KeptKinds kept_kinds(const Fields& fields, const ServiceLimits& limits);

/// Field `source_tag`: a word, or empty. Throws HttpError 400.
std::string source_tag(const Fields& fields);

/// Field `avoid`: texts that no translation may contain. Throws HttpError 400.
std::vector<std::string> avoided(const Fields& fields);

/// Field `case`: true for "auto", false for "keep". Throws HttpError 400.
bool restores_case(const Fields& fields, const ServiceLimits& limits);

/// Throws HttpError 400 with the name of the field.
nmt::SearchOptions search_options(const Fields& fields, const ServiceLimits& limits,
                                  const nmt::SearchDefaults& own = {});

}  // namespace dietmt::service
