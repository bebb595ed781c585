#include "service/http/form_reader.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <utility>

#include "common/error.h"

namespace dietmt::service {
namespace {

constexpr size_t kBlock = 64 << 10;
constexpr size_t kMaxPartHead = 8000;
constexpr int kMaxParts = 51'000;  // the limit on texts per request, and other fields

[[noreturn]] void malformed() {
  throw RequestError("the multipart body is incomplete or malformed");
}

// A window on the body. It starts with a CRLF that we add, so that the first boundary looks like
// the others.
class Window {
 public:
  explicit Window(const SpooledBytes& body) : body_(body) {}

  /// Offset of the text from the start of the window; npos: not before the next block.
  size_t find(std::string_view text) {
    const size_t at = bytes_.find(text, begin_);
    if (at != bytes_.npos) return at - begin_;
    return fill() ? bytes_.find(text) : at;
  }
  bool begins_with(std::string_view text) {
    while (size() < text.size() && fill()) {
    }
    return bytes_.compare(begin_, text.size(), text) == 0;
  }
  bool at_end() const { return read_ == body_.size(); }
  size_t size() const { return bytes_.size() - begin_; }
  std::string_view take(size_t count) {
    begin_ += count;
    return std::string_view(bytes_).substr(begin_ - count, count);
  }

 private:
  bool fill() {
    bytes_.erase(0, std::exchange(begin_, 0));
    const size_t before = bytes_.size();
    bytes_.resize(before + kBlock);
    const size_t n = body_.read(read_, bytes_.data() + before, kBlock);
    bytes_.resize(before + n);
    read_ += n;
    return n > 0;
  }

  const SpooledBytes& body_;
  uint64_t read_ = 0;
  std::string bytes_ = "\r\n";
  size_t begin_ = 0;  // of the window, in bytes_
};

// Passes on everything before `end`, and skips `end`.
template <typename Pass>
void pass_until(Window& window, const std::string& end, Pass pass) {
  while (true) {
    const size_t at = window.find(end);
    if (at != std::string::npos) {
      pass(window.take(at));
      window.take(end.size());
      return;
    }
    if (window.at_end()) malformed();
    // The last bytes may be the start of `end`.
    pass(window.take(window.size() - std::min(window.size(), end.size() - 1)));
  }
}

std::string part_head(Window& window) {
  std::string head;
  pass_until(window, "\r\n\r\n", [&](std::string_view bytes) {
    head += bytes;
    if (head.size() > kMaxPartHead) malformed();
  });
  return head;
}

FormPart part_of(std::string_view head) {
  constexpr std::string_view kName = "content-disposition:";
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(line.size() + 2, head.size()));
    const boost::beast::string_view name(line.data(), std::min(line.size(), kName.size()));
    if (!boost::beast::iequals(name, {kName.data(), kName.size()})) continue;
    const std::string_view value = line.substr(kName.size());
    return {parameter_of(value, "name"), parameter_of(value, "filename")};
  }
  malformed();
}

}  // namespace

bool is_form(const RequestHead& head) {
  return media_type(head.field("Content-Type")) == "multipart/form-data";
}

Pairs read_form(const HttpRequest& request, uint64_t most_kept, const FormSink& sink) {
  const std::string boundary = parameter_of(request.head.field("Content-Type"), "boundary");
  if (boundary.empty() || boundary.size() > 70) malformed();
  const std::string delimiter = "\r\n--" + boundary;
  Window window(*request.body);
  Pairs kept;
  uint64_t kept_bytes = 0;
  const auto count = [&](size_t bytes) {
    kept_bytes += bytes;
    if (kept_bytes > most_kept)
      throw RequestError("the fields of the form have more than " + std::to_string(most_kept) +
                         " bytes");
  };
  pass_until(window, delimiter, [](std::string_view) {});
  for (int parts = 0; !window.begins_with("--"); ++parts) {
    if (parts == kMaxParts) throw RequestError("the form has too many parts");
    pass_until(window, "\r\n", [](std::string_view bytes) {
      if (bytes.find_first_not_of(" \t") != bytes.npos) malformed();
    });
    FormPart part = part_of(part_head(window));
    const PartUse use = sink.begin(part);
    if (use == PartUse::kKeep) {
      count(part.name.size());
      kept.emplace_back(std::move(part.name), "");
    }
    pass_until(window, delimiter, [&](std::string_view bytes) {
      if (use == PartUse::kKeep) {
        count(bytes.size());
        kept.back().second += bytes;
      } else if (use == PartUse::kPass && !bytes.empty()) {
        sink.append(bytes);
      }
    });
  }
  return kept;
}

std::string parameter_of(std::string_view field, std::string_view name) {
  field.remove_prefix(std::min(field.find(';'), field.size()));
  for (const auto& [key, value] : boost::beast::http::param_list({field.data(), field.size()}))
    if (boost::beast::iequals(key, {name.data(), name.size()})) return {value.data(), value.size()};
  return "";
}

std::string media_type(std::string_view content_type) {
  std::string type(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  for (char& c : type)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return type;
}

}  // namespace dietmt::service
