// Text that stays as it is in every language: web and e-mail addresses, paths and names of files,
// @names and #hashtags.
#pragma once

#include <cstddef>
#include <string_view>

namespace dietmt::data {

// Each function returns the number of bytes of what begins where `text` begins, without the
// punctuation of the sentence around it; 0: nothing does. `text` is UTF-8 and goes on to the end of
// the line. It must begin where a word may begin. A call reads a few runs without spaces at most.

/// https://example.org/a?b=1, www.example.org, mailto:me@example.org, me@example.org.
size_t address_at(std::string_view text);

/// /etc/fstab, ~/notes, ./run, C:\Users\me, C:\My Files\a, \\server\share, src/main.cpp, README.md.
/// A single word after a slash, as in /or, is none, and a name needs an ending that programs use.
size_t path_at(std::string_view text);

/// After a quotation mark: a path whose folders have spaces, up to the next one, as in
/// "/opt/my app/run".
size_t quoted_path_at(std::string_view text, char quote);

/// @name, @name@example.org, @scope/package, #hashtag. #1 is none.
size_t mention_at(std::string_view text);

/// The characters in which an address can begin or go on before its :// or @. If address_at()
/// finds nothing, it finds nothing before the end of a run of these either.
bool is_in_mailbox(char c);

}  // namespace dietmt::data
