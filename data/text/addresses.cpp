#include "data/text/addresses.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <string>

#include "common/ascii.h"
#include "data/text/word_text.h"

namespace dietmt::data {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

bool is_among(char c, std::string_view set) { return set.find(c) != kNowhere; }

bool is_in_domain(char c) { return is_ascii_word(c) || c == '-' || c == '.'; }
bool is_in_url(char c) { return c > ' ' && c < 0x7F && !is_among(c, "<>\"{}|\\^`"); }
bool is_in_path(char c) { return is_ascii_word(c) || is_among(c, "._-+~@%=/"); }
bool is_in_windows_path(char c) { return is_in_path(c) || c == '\\' || c == ':'; }

// Where the run of such characters from `at` on ends. Letters outside ASCII belong to it, unless
// their script has no spaces: there the next word of the sentence follows.
template <typename Predicate>
size_t end_of_run(std::string_view text, size_t at, const Predicate& belongs) {
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      if (!belongs(text[at])) break;
      ++at;
      continue;
    }
    size_t next = at;
    UChar32 c = 0;
    U8_NEXT(reinterpret_cast<const uint8_t*>(text.data()), next, text.size(), c);
    if (c < 0 || !joins_word(static_cast<char32_t>(c))) break;
    at = next;
  }
  return at;
}

size_t end_of_ascii(std::string_view text, size_t at, bool (*belongs)(char)) {
  while (at < text.size() && belongs(text[at])) ++at;
  return at;
}

// Without the punctuation of the sentence around it. A bracket stays if the address opens it.
size_t without_punctuation(std::string_view address) {
  const auto opened = std::ranges::count(address, '(');
  auto closed = std::ranges::count(address, ')');
  while (!address.empty()) {
    const char last = address.back();
    const bool closes_another = last == ')' && closed > opened;
    if (!closes_another && !is_among(last, ".,;:!?'*[]")) break;
    if (closes_another) --closed;
    address.remove_suffix(1);
  }
  return address.size();
}

size_t email_at(std::string_view text, size_t sign) {
  if (sign == 0 || sign >= text.size() || text[sign] != '@') return 0;
  const std::string_view address = text.substr(0, end_of_ascii(text, sign + 1, is_in_domain));
  const size_t size = without_punctuation(address);
  return address.substr(0, size).find('.', sign) == kNowhere ? 0 : size;
}

// The endings of files that people write about.
bool is_file_ending(std::string_view ending) {
  constexpr std::array kEndings = std::to_array<std::string_view>(
      {"7z",    "aac",  "apk", "asc",  "avi",  "bak",  "bat",  "bin",  "bmp",  "bz2",  "c",
       "cc",    "cfg",  "cmd", "conf", "cpp",  "cs",   "css",  "csv",  "deb",  "dll",  "dmg",
       "doc",   "docx", "eml", "epub", "exe",  "flac", "gif",  "go",   "gz",   "h",    "hpp",
       "htm",   "html", "ico", "ini",  "iso",  "jar",  "java", "jpeg", "jpg",  "js",   "json",
       "kt",    "log",  "lua", "md",   "mkv",  "mo",   "mov",  "mp3",  "mp4",  "msi",  "odp",
       "ods",   "odt",  "ogg", "pdf",  "php",  "pl",   "png",  "po",   "ppt",  "pptx", "ps1",
       "py",    "rb",   "rpm", "rs",   "rst",  "rtf",  "sh",   "so",   "sql",  "srt",  "svg",
       "swift", "tar",  "tex", "tgz",  "tif",  "tiff", "tmp",  "tmx",  "toml", "ts",   "tsv",
       "ttf",   "txt",  "vtt", "wav",  "webm", "webp", "xls",  "xlsx", "xml",  "xz",   "yaml",
       "yml",   "zip",  "zst"});
  static_assert(std::ranges::is_sorted(kEndings));
  constexpr size_t kShort = 2;  // in capitals part of an abbreviation: U.S.C
  const bool is_upper = std::ranges::none_of(ending, is_ascii_lower);
  if (!is_upper || ending.size() <= kShort) return std::ranges::binary_search(kEndings, ending);
  std::string small(ending);
  std::ranges::transform(small, small.begin(), [](char c) {
    return is_ascii_letter(c) ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::binary_search(kEndings, std::string_view(small));
}

bool has_file_name(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
  const size_t dot = name.rfind('.');
  return dot != kNowhere && dot > 0 && name[dot - 1] != '.' && is_file_ending(name.substr(dot + 1));
}

bool begins_drive(std::string_view text) {
  return text.size() > 3 && is_ascii_letter(text[0]) && text[1] == ':' &&
         is_among(text[2], "\\/") && is_ascii_word(text[3]);
}

// Where a path of Windows ends, whose folders may have spaces: C:\Program Files (x86)\x.txt. A word
// belongs to it if one of the next few has a backslash, and none begins another path.
size_t end_of_windows_path(std::string_view text) {
  constexpr size_t kMostWords = 3;
  const auto belongs = [](char c) { return is_in_windows_path(c) || c == '(' || c == ')'; };
  size_t end = end_of_run(text, 0, is_in_windows_path);
  for (size_t next = end, words = 0; words < kMostWords && text.substr(next).starts_with(' ');
       ++words) {
    const std::string_view rest = text.substr(next + 1);
    const std::string_view word = rest.substr(0, end_of_run(rest, 0, belongs));
    if (word.empty() || begins_drive(word) || word.starts_with('\\')) break;
    next += 1 + word.size();
    if (word.find('\\') == kNowhere) continue;
    end = next;
    words = 0;
  }
  return end;
}

// The letters, digits and marks of a name, and how many of them are letters.
struct Name {
  size_t bytes = 0;
  int letters = 0;
};

Name name_at(std::string_view text) {
  Name name;
  while (name.bytes < text.size()) {
    size_t next = name.bytes;
    UChar32 c = 0;
    U8_NEXT(reinterpret_cast<const uint8_t*>(text.data()), next, text.size(), c);
    const bool belongs =
        c >= 0 && (c == '_' || u_isalnum(c) || (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0);
    if (!belongs) break;
    name.letters += u_isalpha(c) ? 1 : 0;
    name.bytes = next;
  }
  return name;
}

}  // namespace

bool is_in_mailbox(char c) { return is_in_domain(c) || is_among(c, "_+%"); }

size_t address_at(std::string_view text) {
  constexpr std::string_view kMail = "mailto:";
  const size_t first = end_of_ascii(text, 0, is_in_mailbox);
  const std::string_view rest = text.substr(first);
  const auto url = [&] {
    return without_punctuation(text.substr(0, end_of_run(text, 0, is_in_url)));
  };
  if (first > 0 && rest.starts_with("://")) {
    const size_t size = url();
    return size > first + 3 ? size : 0;
  }
  if (first > 4 && text.starts_with("www.")) return url();
  if (text.starts_with(kMail)) {
    const std::string_view mailbox = text.substr(kMail.size());
    const bool is_mail = email_at(mailbox, end_of_ascii(mailbox, 0, is_in_mailbox)) > 0;
    return is_mail ? url() : 0;
  }
  return email_at(text, first);
}

size_t path_at(std::string_view text) {
  const bool is_windows = begins_drive(text) || text.starts_with("\\\\");
  const size_t end = is_windows ? end_of_windows_path(text) : end_of_run(text, 0, is_in_path);
  const std::string_view path = text.substr(0, without_punctuation(text.substr(0, end)));
  if (is_windows) return path.size() > 3 ? path.size() : 0;
  const bool is_relative =
      path.starts_with("~/") || path.starts_with("./") || path.starts_with("../");
  if (is_relative && path.size() > path.find('/') + 1) return path.size();
  const bool is_absolute = path.size() > 1 && path[0] == '/' && path[1] != '/' &&
                           path.find('/', 1) != kNowhere && path.find('/', 1) + 1 < path.size();
  return is_absolute || has_file_name(path) ? path.size() : 0;
}

size_t quoted_path_at(std::string_view text, char quote) {
  constexpr size_t kLongest = 200;
  const std::string_view path = text.substr(0, text.substr(0, kLongest).find(quote));
  const bool begins = path.starts_with('/') || path.starts_with("~/") || begins_drive(path);
  const auto belongs = [](char c) { return is_in_windows_path(c) || is_among(c, " ()"); };
  const size_t space = path.find(' ');
  const bool is_path = begins && path.size() < std::min(kLongest, text.size()) &&
                       path.find_first_of("/\\", 1) < space &&
                       path.find_first_of("/\\", space) != kNowhere &&
                       end_of_run(path, 0, belongs) == path.size();
  return is_path ? path.size() : 0;
}

size_t mention_at(std::string_view text) {
  if (text.empty() || (text[0] != '@' && text[0] != '#')) return 0;
  const Name name = name_at(text.substr(1));
  if (name.letters == 0 || name.bytes < 2) return 0;
  const size_t end = 1 + name.bytes;
  if (text[0] == '#' || end >= text.size()) return end;
  if (text[end] == '@') return std::max(end, email_at(text, end));
  const Name package = text[end] == '/' ? name_at(text.substr(end + 1)) : Name();
  return package.letters > 0 ? end + 1 + package.bytes : end;
}

}  // namespace dietmt::data
