#include "service/documents/strings/json_places.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/interruption.h"
#include "common/json_fields.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kBetween = " \t\r\n,:";

// Positions come from the text itself, which the library has checked up to the next value.
class PlaceReader final : private nlohmann::json_sax<nlohmann::json> {
 public:
  PlaceReader(std::string_view json, size_t most) : json_(json), most_(most) {}

  std::vector<JsonPlace> read() {
    nlohmann::json::sax_parse(json_, static_cast<nlohmann::json_sax<nlohmann::json>*>(this));
    return std::move(places_);
  }

 private:
  using Kind = JsonPlace::Kind;

  bool null() override { return add_word(); }
  bool boolean(bool /*value*/) override { return add_word(); }
  bool number_integer(number_integer_t /*value*/) override { return add_word(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return add_word(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return add_word();
  }
  bool binary(binary_t& /*value*/) override { return true; }

  bool start_object(size_t /*size*/) override { return enter(Kind::kObject); }
  bool start_array(size_t /*size*/) override { return enter(Kind::kArray); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool key(string_t& name) override {
    std::tie(key_.key_begin, key_.key_end) = next_json_string(json_, at_);
    key_.key = name;
    at_ = key_.key_end;
    return true;
  }

  bool string(string_t& value) override {
    const auto [begin, end] = next_json_string(json_, at_);
    JsonPlace& place = add(Kind::kString, begin);
    place.text = value;
    place.end = at_ = end;
    return true;
  }

  bool add_word() {
    JsonPlace& place = add(Kind::kOther, json_.find_first_not_of(kBetween, at_));
    place.end = at_ = std::min(json_.find_first_of(" \t\r\n,]}", place.begin), json_.size());
    return true;
  }

  bool enter(Kind kind) {
    const size_t number = places_.size();
    at_ = add(kind, json_.find_first_not_of(kBetween, at_)).begin + 1;
    open_.push_back(number);
    return true;
  }

  bool leave() {
    JsonPlace& place = places_[open_.back()];
    open_.pop_back();
    place.end = at_ = json_.find_first_not_of(kBetween, at_) + 1;
    place.next = places_.size();
    return true;
  }

  JsonPlace& add(Kind kind, size_t begin) {
    check_interruption();
    if (places_.size() >= most_)
      throw DocumentTooLargeError("the JSON has more than " + std::to_string(most_) + " values");
    JsonPlace& place = places_.emplace_back(std::exchange(key_, {}));
    place.kind = kind;
    place.begin = begin;
    place.next = places_.size();
    return place;
  }

  bool parse_error(size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    fail_at(json_, std::min(position, json_.size()), "the JSON is damaged: " + json_problem(error));
  }

  std::string_view json_;
  size_t most_;
  size_t at_ = 0;
  JsonPlace key_;             // of the next value
  std::vector<size_t> open_;  // objects and arrays
  std::vector<JsonPlace> places_;
};

}  // namespace

std::vector<JsonPlace> json_places(std::string_view json, size_t most) {
  return PlaceReader(json, most).read();
}

std::pair<size_t, size_t> next_json_string(std::string_view json, size_t at) {
  while (json[at] != '"') {
    if (json.substr(at).starts_with("//"))
      at = json.find('\n', at);
    else if (json.substr(at).starts_with("/*"))
      at = json.find("*/", at + 2) + 1;
    ++at;
  }
  const size_t begin = at++;
  for (; json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return {begin, at + 1};
}

}  // namespace dietmt::service
